import { language } from '#contract/language.ts'
import type { Operation, OperationKind, OperationState } from '#contract/operations.ts'
import { plural } from '#web/ui/format.ts'

type Named = Pick<Operation, 'kind' | 'subject' | 'becomes' | 'total' | 'state'>

/** `subject` is the one thing that it is about, or the group or file that things go to or come from. */
type Sentence = (n: number, subject: string | null) => string
type Label = { doing: Sentence; done: Sentence }

/** What is about one thing says its name. */
const named =
  (one: (name: string) => string, many: (n: number) => string): Sentence =>
  (n, name) =>
    n === 1 && name !== null ? one(name) : many(n)

/** What is about a place says how many, and the place if it is known. */
const placed =
  (many: (n: number) => string, into: (n: number, place: string) => string): Sentence =>
  (n, place) =>
    place === null ? many(n) : into(n, place)

const kinds: Record<OperationKind, Label> = {
  'users.import': {
    doing: placed(
      (n) => `Importing ${plural(n, 'person', 'people')}`,
      (n, place) => `Importing ${plural(n, 'person', 'people')} from ${place}`,
    ),
    done: placed(
      (n) => `Imported ${plural(n, 'person', 'people')}`,
      (n, place) => `Imported ${plural(n, 'person', 'people')} from ${place}`,
    ),
  },
  'users.change': {
    doing: named(
      (name) => `Changing ${name}`,
      (n) => `Changing ${plural(n, 'person', 'people')}`,
    ),
    done: named(
      (name) => `Changed ${name}`,
      (n) => `Changed ${plural(n, 'person', 'people')}`,
    ),
  },
  'users.remove': {
    doing: named(
      (name) => `Removing ${name}`,
      (n) => `Removing ${plural(n, 'person', 'people')}`,
    ),
    done: named(
      (name) => `Removed ${name}`,
      (n) => `Removed ${plural(n, 'person', 'people')}`,
    ),
  },
  'users.add_to_group': {
    doing: placed(
      (n) => `Putting ${plural(n, 'person', 'people')}`,
      (n, place) => `Putting ${plural(n, 'person', 'people')} into ${place}`,
    ),
    done: placed(
      (n) => `Put ${plural(n, 'person', 'people')}`,
      (n, place) => `Put ${plural(n, 'person', 'people')} into ${place}`,
    ),
  },
  'users.remove_from_group': {
    doing: placed(
      (n) => `Taking ${plural(n, 'person', 'people')}`,
      (n, place) => `Taking ${plural(n, 'person', 'people')} out of ${place}`,
    ),
    done: placed(
      (n) => `Took ${plural(n, 'person', 'people')}`,
      (n, place) => `Took ${plural(n, 'person', 'people')} out of ${place}`,
    ),
  },
  'users.invite': {
    doing: named(
      (name) => `Inviting ${name}`,
      (n) => `Inviting ${plural(n, 'person', 'people')}`,
    ),
    done: named(
      (name) => `Invited ${name}`,
      (n) => `Invited ${plural(n, 'person', 'people')}`,
    ),
  },
  'groups.remove': {
    doing: named(
      (name) => `Removing ${name}`,
      (n) => `Removing ${plural(n, 'group')}`,
    ),
    done: named(
      (name) => `Removed ${name}`,
      (n) => `Removed ${plural(n, 'group')}`,
    ),
  },
  'waivers.remove': {
    doing: named(
      (name) => `Taking back ${name}`,
      (n) => `Taking back ${plural(n, 'waiver')}`,
    ),
    done: named(
      (name) => `Took back ${name}`,
      (n) => `Took back ${plural(n, 'waiver')}`,
    ),
  },
  'waivers.give': {
    doing: named(
      (name) => `Waiving ${name}`,
      (n) => `Waiving ${plural(n, 'training')}`,
    ),
    done: named(
      (name) => `Waived ${name}`,
      (n) => `Waived ${plural(n, 'training')}`,
    ),
  },
  'waivers.end': {
    doing: named(
      (name) => `Taking back ${name}`,
      (n) => `Taking back ${plural(n, 'waiver')}`,
    ),
    done: named(
      (name) => `Took back ${name}`,
      (n) => `Took back ${plural(n, 'waiver')}`,
    ),
  },
  'organizations.change': {
    doing: named(
      (name) => `Changing ${name}`,
      (n) => `Changing ${plural(n, 'organization')}`,
    ),
    done: named(
      (name) => `Changed ${name}`,
      (n) => `Changed ${plural(n, 'organization')}`,
    ),
  },
  'organizations.remove': {
    doing: named(
      (name) => `Removing ${name}`,
      (n) => `Removing ${plural(n, 'organization')}`,
    ),
    done: named(
      (name) => `Removed ${name}`,
      (n) => `Removed ${plural(n, 'organization')}`,
    ),
  },
  'videos.change': {
    doing: named(
      (name) => `Changing who may watch ${name}`,
      (n) => `Changing who may watch ${plural(n, 'video')}`,
    ),
    done: named(
      (name) => `Changed who may watch ${name}`,
      (n) => `Changed who may watch ${plural(n, 'video')}`,
    ),
  },
  'videos.move': {
    doing: placed(
      (n) => `Moving ${plural(n, 'video')}`,
      (n, place) => `Moving ${plural(n, 'video')} into ${place}`,
    ),
    done: placed(
      (n) => `Moved ${plural(n, 'video')}`,
      (n, place) => `Moved ${plural(n, 'video')} into ${place}`,
    ),
  },
  'videos.remove': {
    doing: named(
      (name) => `Removing ${name}`,
      (n) => `Removing ${plural(n, 'video')}`,
    ),
    done: named(
      (name) => `Removed ${name}`,
      (n) => `Removed ${plural(n, 'video')}`,
    ),
  },
  'transmissions.cancel': {
    doing: named(
      (name) => `Cancelling ${name}`,
      (n) => `Cancelling ${plural(n, 'transmission')}`,
    ),
    done: named(
      (name) => `Cancelled ${name}`,
      (n) => `Cancelled ${plural(n, 'transmission')}`,
    ),
  },
}

/** Changes, by what becomes of the things. */
const becoming: Record<string, Label> = {
  'users.change disabled': {
    doing: named(
      (name) => `Disabling ${name}`,
      (n) => `Disabling ${plural(n, 'person', 'people')}`,
    ),
    done: named(
      (name) => `Disabled ${name}`,
      (n) => `Disabled ${plural(n, 'person', 'people')}`,
    ),
  },
  'users.change active': {
    doing: named(
      (name) => `Enabling ${name}`,
      (n) => `Enabling ${plural(n, 'person', 'people')}`,
    ),
    done: named(
      (name) => `Enabled ${name}`,
      (n) => `Enabled ${plural(n, 'person', 'people')}`,
    ),
  },
  'organizations.change active': {
    doing: named(
      (name) => `Activating ${name}`,
      (n) => `Activating ${plural(n, 'organization')}`,
    ),
    done: named(
      (name) => `Activated ${name}`,
      (n) => `Activated ${plural(n, 'organization')}`,
    ),
  },
  'organizations.change suspended': {
    doing: named(
      (name) => `Suspending ${name}`,
      (n) => `Suspending ${plural(n, 'organization')}`,
    ),
    done: named(
      (name) => `Suspended ${name}`,
      (n) => `Suspended ${plural(n, 'organization')}`,
    ),
  },
  'organizations.change archived': {
    doing: named(
      (name) => `Archiving ${name}`,
      (n) => `Archiving ${plural(n, 'organization')}`,
    ),
    done: named(
      (name) => `Archived ${name}`,
      (n) => `Archived ${plural(n, 'organization')}`,
    ),
  },
}

const working: ReadonlySet<OperationState> = new Set(['queued', 'running', 'cancelling', 'undoing'])

export function isWorking({ state }: Pick<Operation, 'state'>): boolean {
  return working.has(state)
}

/** "Removed 12 people", "Putting 3 people into Crew", "Removed Ada Lovelace", "Undone: removed Ada Lovelace". */
export function titleOf({ kind, subject, becomes, total, state }: Named): string {
  const { doing, done } = becoming[`${kind} ${becomes}`] ?? kinds[kind]
  if (state === 'undoing') return `Undoing: ${startingSmall(done(total, subject))}`
  if (state === 'undone') return `Undone: ${startingSmall(done(total, subject))}`
  return isWorking({ state }) || state === 'draft' ? doing(total, subject) : done(total, subject)
}

const startingSmall = (text: string): string => text.slice(0, 1).toLocaleLowerCase(language) + text.slice(1)
