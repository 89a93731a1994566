CREATE TABLE `former_topics` (
	`blog_id` integer NOT NULL,
	`kind` text NOT NULL,
	`slug` text NOT NULL,
	`topic_id` integer,
	PRIMARY KEY(`blog_id`, `kind`, `slug`),
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `former_topics_topic` ON `former_topics` (`kind`,`topic_id`);