import { firstSign } from '#contract/platform/text/text.ts'
import { language } from '#contract/platform/text/language.ts'
import type { Operation, OperationKind, OperationState } from '#contract/operations.ts'
import { plural } from '#web/ui/format.ts'

type TitleFields = Pick<Operation, 'kind' | 'subject' | 'becomes' | 'total' | 'state'>

/** `name` of the one thing that it is about; `place`: the group, project or file that things go to or come from. */
type About = { n: number; name: string | null; place: string | null }
type Label = Record<'doing' | 'done', (about: About) => string>

const kinds: Record<OperationKind, Label> = {
  'users.import': {
    doing: ({ n, place }) =>
      place
        ? `Importing ${plural(n, 'person', 'people')} from ${place}`
        : `Importing ${plural(n, 'person', 'people')}`,
    done: ({ n, place }) =>
      place
        ? `Imported ${plural(n, 'person', 'people')} from ${place}`
        : `Imported ${plural(n, 'person', 'people')}`,
  },
  'users.change': {
    doing: ({ n, name }) => (name ? `Changing ${name}` : `Changing ${plural(n, 'person', 'people')}`),
    done: ({ n, name }) => (name ? `Changed ${name}` : `Changed ${plural(n, 'person', 'people')}`),
  },
  'users.remove': {
    doing: ({ n, name }) => (name ? `Removing ${name}` : `Removing ${plural(n, 'person', 'people')}`),
    done: ({ n, name }) => (name ? `Removed ${name}` : `Removed ${plural(n, 'person', 'people')}`),
  },
  'users.add_to_group': {
    doing: ({ n, place }) =>
      place
        ? `Putting ${plural(n, 'person', 'people')} into ${place}`
        : `Putting ${plural(n, 'person', 'people')}`,
    done: ({ n, place }) =>
      place ? `Put ${plural(n, 'person', 'people')} into ${place}` : `Put ${plural(n, 'person', 'people')}`,
  },
  'users.remove_from_group': {
    doing: ({ n, place }) =>
      place
        ? `Taking ${plural(n, 'person', 'people')} out of ${place}`
        : `Taking ${plural(n, 'person', 'people')}`,
    done: ({ n, place }) =>
      place
        ? `Took ${plural(n, 'person', 'people')} out of ${place}`
        : `Took ${plural(n, 'person', 'people')}`,
  },
  'users.invite': {
    doing: ({ n, name }) => (name ? `Inviting ${name}` : `Inviting ${plural(n, 'person', 'people')}`),
    done: ({ n, name }) => (name ? `Invited ${name}` : `Invited ${plural(n, 'person', 'people')}`),
  },
  'groups.remove': {
    doing: ({ n, name }) => (name ? `Removing ${name}` : `Removing ${plural(n, 'group')}`),
    done: ({ n, name }) => (name ? `Removed ${name}` : `Removed ${plural(n, 'group')}`),
  },
  'waivers.remove': {
    doing: ({ n, name }) => (name ? `Taking back ${name}` : `Taking back ${plural(n, 'waiver')}`),
    done: ({ n, name }) => (name ? `Took back ${name}` : `Took back ${plural(n, 'waiver')}`),
  },
  'waivers.give': {
    doing: ({ n, name }) => (name ? `Waiving ${name}` : `Waiving ${plural(n, 'training')}`),
    done: ({ n, name }) => (name ? `Waived ${name}` : `Waived ${plural(n, 'training')}`),
  },
  'waivers.end': {
    doing: ({ n, name }) => (name ? `Taking back ${name}` : `Taking back ${plural(n, 'waiver')}`),
    done: ({ n, name }) => (name ? `Took back ${name}` : `Took back ${plural(n, 'waiver')}`),
  },
  'organizations.change': {
    doing: ({ n, name }) => (name ? `Changing ${name}` : `Changing ${plural(n, 'organization')}`),
    done: ({ n, name }) => (name ? `Changed ${name}` : `Changed ${plural(n, 'organization')}`),
  },
  'organizations.remove': {
    doing: ({ n, name }) => (name ? `Removing ${name}` : `Removing ${plural(n, 'organization')}`),
    done: ({ n, name }) => (name ? `Removed ${name}` : `Removed ${plural(n, 'organization')}`),
  },
  'videos.change': {
    doing: ({ n, name }) =>
      name ? `Changing who may watch ${name}` : `Changing who may watch ${plural(n, 'video')}`,
    done: ({ n, name }) =>
      name ? `Changed who may watch ${name}` : `Changed who may watch ${plural(n, 'video')}`,
  },
  'videos.move': {
    doing: ({ n, place }) =>
      place ? `Moving ${plural(n, 'video')} into ${place}` : `Moving ${plural(n, 'video')}`,
    done: ({ n, place }) =>
      place ? `Moved ${plural(n, 'video')} into ${place}` : `Moved ${plural(n, 'video')}`,
  },
  'videos.tag': {
    doing: ({ n, place }) => `Tagging ${plural(n, 'video')} “${place}”`,
    done: ({ n, place }) => `Tagged ${plural(n, 'video')} “${place}”`,
  },
  'videos.untag': {
    doing: ({ n, place }) => `Taking the tag “${place}” from ${plural(n, 'video')}`,
    done: ({ n, place }) => `Took the tag “${place}” from ${plural(n, 'video')}`,
  },
  'videos.remove': {
    doing: ({ n, name }) => (name ? `Removing ${name}` : `Removing ${plural(n, 'video')}`),
    done: ({ n, name }) => (name ? `Removed ${name}` : `Removed ${plural(n, 'video')}`),
  },
  'captions.remove': {
    doing: ({ n, name }) =>
      name ? `Removing captions of ${name}` : `Removing captions of ${plural(n, 'video')}`,
    done: ({ n, name }) =>
      name ? `Removed captions of ${name}` : `Removed captions of ${plural(n, 'video')}`,
  },
  'transmissions.cancel': {
    doing: ({ n, name }) => (name ? `Cancelling ${name}` : `Cancelling ${plural(n, 'transmission')}`),
    done: ({ n, name }) => (name ? `Cancelled ${name}` : `Cancelled ${plural(n, 'transmission')}`),
  },
  'barred_addresses.lift': {
    doing: ({ n, name }) =>
      name ? `Lifting the bar on ${name}` : `Lifting the bars on ${plural(n, 'address', 'addresses')}`,
    done: ({ n, name }) =>
      name ? `Lifted the bar on ${name}` : `Lifted the bars on ${plural(n, 'address', 'addresses')}`,
  },
}

/** Changes, by what becomes of the things. */
const becoming: Record<string, Label> = {
  'users.change disabled': {
    doing: ({ n, name }) => (name ? `Disabling ${name}` : `Disabling ${plural(n, 'person', 'people')}`),
    done: ({ n, name }) => (name ? `Disabled ${name}` : `Disabled ${plural(n, 'person', 'people')}`),
  },
  'users.change active': {
    doing: ({ n, name }) => (name ? `Enabling ${name}` : `Enabling ${plural(n, 'person', 'people')}`),
    done: ({ n, name }) => (name ? `Enabled ${name}` : `Enabled ${plural(n, 'person', 'people')}`),
  },
  'organizations.change active': {
    doing: ({ n, name }) => (name ? `Activating ${name}` : `Activating ${plural(n, 'organization')}`),
    done: ({ n, name }) => (name ? `Activated ${name}` : `Activated ${plural(n, 'organization')}`),
  },
  'organizations.change suspended': {
    doing: ({ n, name }) => (name ? `Suspending ${name}` : `Suspending ${plural(n, 'organization')}`),
    done: ({ n, name }) => (name ? `Suspended ${name}` : `Suspended ${plural(n, 'organization')}`),
  },
  'organizations.change archived': {
    doing: ({ n, name }) => (name ? `Archiving ${name}` : `Archiving ${plural(n, 'organization')}`),
    done: ({ n, name }) => (name ? `Archived ${name}` : `Archived ${plural(n, 'organization')}`),
  },
}

const working: ReadonlySet<OperationState> = new Set(['queued', 'running', 'cancelling', 'undoing'])

export function isWorking({ state }: Pick<Operation, 'state'>): boolean {
  return working.has(state)
}

/** "Removed 12 people", "Putting 3 people into Crew", "Removed Ada Lovelace", "Undone: removed Ada Lovelace". */
export function titleOf({ kind, subject, becomes, total, state }: TitleFields): string {
  const { doing, done } = becoming[`${kind} ${becomes}`] ?? kinds[kind]
  const about = { n: total, name: total === 1 ? subject : null, place: subject }
  const whatWasDone = startingSmall(done(about))
  if (state === 'undoing') return `Undoing: ${whatWasDone}`
  if (state === 'undone') return `Undone: ${whatWasDone}`
  return isWorking({ state }) || state === 'draft' ? doing(about) : done(about)
}

function startingSmall(text: string): string {
  const first = firstSign(text)
  return first.toLocaleLowerCase(language) + text.slice(first.length)
}
