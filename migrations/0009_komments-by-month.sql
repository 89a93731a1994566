CREATE TABLE `komment_months` (
	`blog_id` integer NOT NULL,
	`month` text NOT NULL,
	`komments` integer NOT NULL,
	PRIMARY KEY(`blog_id`, `month`)
);
--> statement-breakpoint
INSERT INTO `komment_months` SELECT `blog_id`, coalesce(strftime('%Y-%m', `created_at` / 1000, 'unixepoch'), ''), count(*) FROM `komments` WHERE `status` <> 'refused' GROUP BY 1, 2;--> statement-breakpoint
CREATE TRIGGER `komments_of_month_in` AFTER INSERT ON `komments` WHEN new.`status` <> 'refused' BEGIN
	INSERT INTO `komment_months` VALUES (new.`blog_id`, coalesce(strftime('%Y-%m', new.`created_at` / 1000, 'unixepoch'), ''), 1)
	ON CONFLICT DO UPDATE SET `komments` = `komments` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `komments_of_month_out` AFTER DELETE ON `komments` WHEN old.`status` <> 'refused' BEGIN
	UPDATE `komment_months` SET `komments` = `komments` - 1
	WHERE `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`created_at` / 1000, 'unixepoch'), '');
	DELETE FROM `komment_months`
	WHERE `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`created_at` / 1000, 'unixepoch'), '') AND `komments` = 0;
END;--> statement-breakpoint
CREATE TRIGGER `komments_of_month_anew` AFTER UPDATE ON `komments`
WHEN old.`status` <> new.`status` OR old.`created_at` <> new.`created_at` OR old.`blog_id` <> new.`blog_id`
BEGIN
	UPDATE `komment_months` SET `komments` = `komments` - 1
	WHERE old.`status` <> 'refused' AND `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`created_at` / 1000, 'unixepoch'), '');
	DELETE FROM `komment_months`
	WHERE `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`created_at` / 1000, 'unixepoch'), '') AND `komments` = 0;
	INSERT INTO `komment_months` SELECT new.`blog_id`, coalesce(strftime('%Y-%m', new.`created_at` / 1000, 'unixepoch'), ''), 1 WHERE new.`status` <> 'refused'
	ON CONFLICT DO UPDATE SET `komments` = `komments` + 1;
END;
