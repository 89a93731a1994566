DROP TRIGGER `posts_of_month_in`;--> statement-breakpoint
DROP TRIGGER `posts_of_month_out`;--> statement-breakpoint
DROP TRIGGER `posts_of_month_anew`;--> statement-breakpoint
DROP TABLE `post_months`;
