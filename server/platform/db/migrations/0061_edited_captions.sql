-- Who changed captions in the editor last, and when: what somebody saves every few seconds is one entry of the audit for each sitting. Null
-- where they came by a file.
ALTER TABLE captions
  ADD COLUMN edited_at timestamptz(3),
  ADD COLUMN edited_by uuid;

-- Captions that were removed can be brought back.
ALTER TABLE operations DROP CONSTRAINT operations_kind_word;
ALTER TABLE operations ADD CONSTRAINT operations_kind_word CHECK (kind IN (
  'users.import', 'users.change', 'users.remove', 'users.add_to_group', 'users.remove_from_group', 'users.invite', 'groups.remove',
  'waivers.remove', 'waivers.give', 'waivers.end', 'organizations.change', 'organizations.remove', 'videos.change', 'videos.move',
  'videos.tag', 'videos.untag', 'videos.remove', 'captions.remove', 'transmissions.cancel', 'barred_addresses.lift'));
