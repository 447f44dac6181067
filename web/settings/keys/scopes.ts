import type { KeyScope } from '#contract/scopes.ts'

/** What a key may do, in a word or two for a list; `scopeWords` has the sentence. */
export const scopeLabels: Record<KeyScope, string> = {
  'people:read': 'Read people',
  'people:write': 'Change people',
  'content:read': 'Read content',
  'content:write': 'Change content',
  send: 'Send and assign',
  'evidence:read': 'Read evidence',
  'reports:read': 'Read reports',
  settings: /* text */ 'Settings',
  directory: /* text */ 'Organizations',
}
