CREATE TABLE `sent_mentions` (
	`post_id` integer NOT NULL,
	`target` text NOT NULL,
	PRIMARY KEY(`post_id`, `target`),
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
