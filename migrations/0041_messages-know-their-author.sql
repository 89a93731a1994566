ALTER TABLE `messages` ADD `remote_actor_id` integer REFERENCES remote_actors(id) ON DELETE SET NULL;--> statement-breakpoint
CREATE INDEX `messages_remote` ON `messages` (`remote_actor_id`);--> statement-breakpoint
UPDATE `messages` SET `remote_actor_id` = (SELECT min(`id`) FROM `remote_actors` WHERE `profile_url` = `messages`.`address`)
WHERE `origin` = 'fediverse';
