-- Which file it was that was uploaded; null: from before this, or not looked at yet.
ALTER TABLE video_versions ADD COLUMN sha256 text CHECK (sha256 ~ '^[0-9a-f]{64}$');
