-- What was owed by the day of a message stays late by it, also where an assignment of its own asks for the same video.
INSERT INTO dirty_keys (figure, organization_id, subject, person)
  SELECT DISTINCT 'training', o.organization_id, o.video_id, o.user_id::text FROM obligations o
  WHERE o.counts_from = '-infinity' AND o.state = 'open' AND EXISTS (SELECT FROM obligations n WHERE n.organization_id = o.organization_id
    AND n.user_id = o.user_id AND n.video_id = o.video_id AND n.counts_from <> '-infinity' AND n.state = 'open');
