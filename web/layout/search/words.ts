import { IconBuilding, IconMovie, IconSend, IconUser, IconUsersGroup, type Icon } from '@tabler/icons-react'
import { searchKinds, type SearchHit, type SearchKind } from '#contract/search.ts'
import type { Tone } from '#web/ui/figures/StatusBadge.tsx'
import { momentHash } from '#contract/videos/moments.ts'
import { formatClock, plural } from '#web/ui/format.ts'

export const kindLabels: Record<SearchKind, { many: string; icon: Icon }> = {
  organization: { many: 'Organizations', icon: IconBuilding },
  user: { many: 'People', icon: IconUser },
  group: { many: 'Groups', icon: IconUsersGroup },
  content: { many: 'Content', icon: IconMovie },
  transmission: { many: 'Transmissions', icon: IconSend },
}

/** By the word that is remembered, which may be from another version. */
export const kindIcons: Record<string, Icon | undefined> = Object.fromEntries(
  searchKinds.map((kind) => [kind, kindLabels[kind].icon]),
)

/** States that somebody should know before opening it; the usual ones go without saying. */
const unusual: Record<string, { word: string; tone: Tone }> = {
  archived: { word: 'Archived', tone: 'neutral' },
  suspended: { word: 'Suspended', tone: 'warning' },
  disabled: { word: 'Disabled', tone: 'neutral' },
  invited: { word: 'Invited', tone: 'info' },
  failed: { word: 'Failed', tone: 'danger' },
  uploading: { word: 'Uploading', tone: 'running' },
  processing: { word: 'Preparing', tone: 'running' },
  scheduled: { word: 'Scheduled', tone: 'info' },
  preparing: { word: 'Preparing', tone: 'running' },
  sending: { word: 'Sending', tone: 'running' },
  held: { word: 'Held', tone: 'warning' },
  paused: { word: 'Paused', tone: 'warning' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
}

export const unusualState = ({ state }: SearchHit) => (state === null ? undefined : unusual[state])

/** What stands behind the detail, where there is one. */
export function factsOf({ people, kind, organizationName, moment }: SearchHit, isMixed: boolean): string[] {
  return [
    ...(moment === null ? [] : [`Said at ${formatClock(moment.atMs)}`]),
    ...(people === null
      ? []
      : [kind === 'organization' ? plural(people, 'person', 'people') : plural(people, 'member')]),
    ...(isMixed && kind !== 'organization' ? [organizationName] : []),
  ]
}

/** The page of a video opens where the words are said. */
export const toMoment = ({ moment }: SearchHit) => (moment === null ? {} : { hash: momentHash(moment.atMs) })
