-- Renames two words in stored reports. Texts in a report escape their quotation marks, so they never match.
UPDATE jobs SET report = replace(replace(report, '"says":', '"message":'), '"weight":"fault"', '"weight":"error"')
WHERE report IS NOT NULL;
