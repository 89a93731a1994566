ALTER TABLE `komments` ADD `answer_to` text;--> statement-breakpoint
ALTER TABLE `komments` ADD `answer_to_confirmed_at` integer;--> statement-breakpoint
CREATE INDEX `komments_answers_unconfirmed` ON `komments` (`created_at`) WHERE "komments"."answer_to" is not null and "komments"."answer_to_confirmed_at" is null;