/**
 * What a key may be allowed to do. Each call of the contract names one of these where it names its roles, and a key that lacks it is
 * refused (`scope_missing`).
 */
export const keyScopes = [
  'people:read',
  'people:write',
  'content:read',
  'content:write',
  'send',
  'evidence:read',
  'reports:read',
  'settings',
  'directory',
] as const
export type KeyScope = (typeof keyScopes)[number]

/** `person`: needs somebody who is there, because it is about them, asks for their judgement, or hands out a way in. */
export type CallScope = KeyScope | 'person'

/** What each allows, for whoever makes a key. */
export const scopeWords: Record<KeyScope, string> = {
  'people:read': 'Read people, groups, fields and imports.',
  'people:write': 'Create, change and remove people and groups, and import people; gives nobody a role.',
  'content:read': 'Read videos, projects and questions.',
  'content:write': 'Upload, change and remove videos, projects and questions.',
  send: 'Write and send messages, make assignments and decide about them; keep templates and barred addresses.',
  'evidence:read':
    'Read who was sent what, who has seen and answered what and who has not, with certificates and all raw evidence.',
  'reports:read': 'Read reports, key figures and the audit trail, and export them.',
  settings: 'Read and change settings; with a key of the installation also its state, jobs and backups.',
  directory: 'Read organizations; with a key of the installation also create, change and remove them.',
}
