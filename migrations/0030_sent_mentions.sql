CREATE TABLE `sent_mentions` (
	`post_id` integer NOT NULL,
	`target` text NOT NULL,
	PRIMARY KEY(`post_id`, `target`),
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);--> statement-breakpoint
CREATE TRIGGER `subscribers_of_removed_in` BEFORE INSERT ON `subscribers` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `newsletter_issues_of_removed_in` BEFORE INSERT ON `newsletter_issues` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;
