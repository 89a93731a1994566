DROP INDEX `events_unqueued`;--> statement-breakpoint
CREATE INDEX `events_unqueued` ON `events` (`channel`,`id`) WHERE not "events"."is_queued";