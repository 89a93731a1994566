-- A post's content is one row. Long ones lay in pieces.
UPDATE `contents` SET (`html`, `text`, `source`) = (
	SELECT `whole`.`html`, `whole`.`text`, `whole`.`source` FROM `whole_contents` AS `whole` WHERE `whole`.`post_id` = `contents`.`post_id`
) WHERE `long_id` IS NOT NULL;--> statement-breakpoint
UPDATE `revisions` SET `fields` = json_set(`fields`, '$.source', (
	SELECT `whole`.`source` FROM `whole_revisions` AS `whole` WHERE `whole`.`id` = `revisions`.`id`
)) WHERE `long_id` IS NOT NULL;--> statement-breakpoint
-- Responses kept for a day, whose content lay in pieces too.
DELETE FROM `idempotent_answers` WHERE `long_id` IS NOT NULL;--> statement-breakpoint
DROP VIEW `whole_contents`;--> statement-breakpoint
DROP VIEW `whole_revisions`;--> statement-breakpoint
DROP INDEX `contents_long`;--> statement-breakpoint
DROP INDEX `revisions_long`;--> statement-breakpoint
DROP INDEX `idempotent_answers_long`;--> statement-breakpoint
ALTER TABLE `contents` DROP COLUMN `long_id`;--> statement-breakpoint
ALTER TABLE `revisions` DROP COLUMN `long_id`;--> statement-breakpoint
ALTER TABLE `idempotent_answers` DROP COLUMN `long_id`;--> statement-breakpoint
DROP TABLE `long_pieces`;--> statement-breakpoint
DROP TABLE `long_contents`;
