-- What lists call a message. Its subject may name variables in braces, which nobody gets to read as they are written: here they are what
-- they are for everybody, what stands in their place where somebody has none, or what they are. The grammar is that of
-- `contract/transmissions/variables.ts`.
CREATE FUNCTION told_to_all(told text, video text, organization text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  -- Of what comes out of braces, and of braces that are meant as such, nothing is read again.
  text_so_far text := replace(replace(told, '\{{', E'\x01'), '\}}', E'\x02');
  variable constant text := '(?<!\{)\{\{\s*([a-zA-Z]\w{0,59})\s*(\|[^{}\n]*)?\}\}(?!\})';
  found text[];
  value text;
BEGIN
  LOOP
    found := regexp_match(text_so_far, variable);
    EXIT WHEN found IS NULL;
    value := CASE
      WHEN found[1] = 'video' AND video IS NOT NULL THEN video
      WHEN found[1] = 'organization' AND organization IS NOT NULL THEN organization
      WHEN found[2] IS NOT NULL THEN btrim(substr(found[2], 2))
      ELSE CASE found[1]
        WHEN 'firstName' THEN 'First name' WHEN 'name' THEN 'Whole name' WHEN 'email' THEN 'Address'
        WHEN 'organization' THEN 'Organization' WHEN 'video' THEN 'Video' WHEN 'sender' THEN 'Sender'
        WHEN 'due' THEN 'Due day' WHEN 'missing' THEN 'What is missing' ELSE found[1] END
    END;
    value := replace(replace(value, '{{', E'\x01'), '}}', E'\x02');
    text_so_far := regexp_replace(text_so_far, variable, replace(value, '\', '\\'));
  END LOOP;
  RETURN replace(replace(text_so_far, E'\x01', '{{'), E'\x02', '}}');
END $$;

CREATE FUNCTION message_name(t transmissions) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN position('{{' IN t.subject) = 0 THEN t.subject ELSE told_to_all(t.subject,
    (SELECT v.title FROM videos v WHERE v.id = t.video_id AND v.organization_id = t.organization_id),
    (SELECT o.name FROM organizations o WHERE o.id = t.organization_id)) END
$$;
