-- Who was signed in to the console where a personal link of somebody else was played, and said on its page that they are its recipient.
ALTER TABLE play_sessions ADD COLUMN said_by text;
