import { auditSentence } from '#contract/platform/audit-actions.ts'
import type { AuditEntry } from '#contract/platform/audit.ts'
import { signInFaultLabels } from '#contract/identity/sso-fault-labels.ts'
import { asRole } from '#contract/roles.ts'
import { roleNames } from '#web/session/roleNames.ts'
import { dash, plural } from '#web/ui/format.ts'
import { changesOf, record } from './changes.ts'

export type SentencePart = { key: string; text: string; isName: boolean }

/** What a sentence is made of. */
export type SentenceEntry = Pick<
  AuditEntry,
  'action' | 'actor' | 'viewingAs' | 'key' | 'entity' | 'entityName' | 'before' | 'after'
>

/** The sentence of an entry in parts, so that names can stand out. An action without a sentence speaks for itself. */
export function sentenceOf(entry: SentenceEntry): SentencePart[] {
  const template = templateOf(entry)
  return template.split(/(\{[\w.]+\})/).flatMap((piece, index) => {
    const name = /^\{([\w.]+)\}$/.exec(piece)?.[1]
    const text = name === undefined ? piece : valueOf(entry, name)
    return text === '' ? [] : [{ key: `${index}:${piece}`, text, isName: name !== undefined }]
  })
}

function templateOf(entry: SentenceEntry): string {
  const known = auditSentence(entry.action)
  if (typeof known === 'string') return known
  const changed = changesOf(entry).map(({ field }) => field)
  const fitting = known?.find(
    (one) => one.changed === undefined || (changed.length === 1 && changed[0] === one.changed),
  )
  return fitting?.text ?? `{actor}: ${entry.action.replaceAll(/[._]/g, ' ')} ({target})`
}

const things: Record<string, string> = {
  user: /* text */ 'somebody',
  group: 'a group',
  organization: 'an organization',
  installation: 'the installation',
  transmission: 'a transmission',
}

const faults = new Map<unknown, string>(Object.entries(signInFaultLabels))

function valueOf(entry: SentenceEntry, name: string): string {
  if (name === 'actor') return actorOf(entry)
  if (name === 'target') return entry.entityName ?? things[entry.entity] ?? entry.entity
  if (name === 'fields')
    return (
      changesOf(entry)
        .map(({ label }) => label.toLowerCase())
        .join(', ') || /* text */ 'nothing'
    )
  if (name === 'people') return plural(peopleIn(entry), 'person', 'people')
  const [side, field = ''] = name.split('.')
  const value = record(side === 'before' ? entry.before : entry.after)[field]
  return (field === 'fault' && faults.get(value)) || wordFor(value)
}

export function actorOf({ actor, viewingAs, key, action }: SentenceEntry): string {
  if (key) return key.name === null ? 'A key of the installation' : `The key ${key.name}`
  if (!actor) return action.startsWith('auth.') ? 'Somebody' : 'The product'
  const name = actor.name ?? 'Somebody'
  return viewingAs ? `${name} (viewing as ${viewingAs.name ?? /* text */ 'somebody'})` : name
}

function peopleIn({ before, after }: SentenceEntry): number {
  const { userIds } = { ...record(before), ...record(after) }
  return Array.isArray(userIds) ? userIds.length : 0
}

function wordFor(value: unknown): string {
  if (value === null || value === undefined || value === '') return dash
  const role = typeof value === 'string' ? asRole(value) : null
  if (role) return roleNames[role].toLowerCase()
  return typeof value === 'string' ? value : JSON.stringify(value)
}
