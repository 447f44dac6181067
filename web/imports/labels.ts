import type { ImportOptions } from '#contract/imports/imports.ts'
import type { RowOutcome } from '#contract/operations.ts'
import type { Tone } from '#web/ui/figures/StatusBadge.tsx'

type Outcome = { tone: Tone; before: string; after: string }

/** `before`: as the rehearsal says it. `after`: once it has happened. */
export const outcomes: Record<RowOutcome, Outcome> = {
  created: { tone: 'success', before: 'Will be added', after: 'Added' },
  changed: { tone: 'success', before: 'Will be changed', after: 'Changed' },
  unchanged: { tone: 'neutral', before: 'Nothing to change', after: 'As it was' },
  skipped: { tone: 'neutral', before: 'Will be skipped', after: 'Skipped' },
  conflict: { tone: 'warning', before: 'Cannot be imported', after: 'Not imported' },
  failed: { tone: 'danger', before: 'Failed', after: 'Failed' },
  removed: { tone: 'success', before: 'Will be removed', after: 'Removed' },
}

export const shownOutcomes = ['created', 'changed', 'unchanged', 'skipped', 'conflict'] as const

type Choice = {
  label: string
  options: readonly { value: string; label: string }[]
  read: (value: string) => Partial<ImportOptions>
  write: (options: ImportOptions) => string
}

/** How to go about it, as questions with their answers. */
export const optionLabels: Record<Exclude<keyof ImportOptions, 'removed'>, Choice> = {
  matchBy: {
    label: 'People who are here already are found by',
    options: [
      { value: 'either', label: 'External ID, or else email' },
      { value: 'externalId', label: 'External ID only' },
      { value: 'email', label: 'Email only' },
    ],
    read: (value) => ({ matchBy: value === 'externalId' || value === 'email' ? value : 'either' }),
    write: ({ matchBy }) => matchBy,
  },
  existing: {
    label: 'People who are here already',
    options: [
      { value: 'update', label: 'Are changed to what the file says' },
      { value: 'skip', label: 'Are skipped and stay as they are' },
    ],
    read: (value) => ({ existing: value === 'skip' ? 'skip' : 'update' }),
    write: ({ existing }) => existing,
  },
  emptyCells: {
    label: 'Empty cells of the file',
    options: [
      { value: 'keep', label: 'Keep what is there' },
      { value: 'clear', label: 'Clear phone, external ID and your own fields' },
    ],
    read: (value) => ({ emptyCells: value === 'clear' ? 'clear' : 'keep' }),
    write: ({ emptyCells }) => emptyCells,
  },
  createGroups: {
    label: 'Groups that do not exist here',
    options: [
      { value: 'no', label: 'Are not created: their rows are not imported' },
      { value: 'yes', label: 'Are created with the import' },
    ],
    read: (value) => ({ createGroups: value === 'yes' }),
    write: ({ createGroups }) => (createGroups ? 'yes' : 'no'),
  },
  decimalSign: {
    label: 'Numbers such as 1.250 and 1,250',
    options: [
      { value: 'unknown', label: 'Please choose: the file does not tell' },
      { value: 'comma', label: 'Have a decimal comma: 1.250 is 1250, and 1,250 is 1.25' },
      { value: 'point', label: 'Have a decimal point: 1,250 is 1250, and 1.250 is 1.25' },
    ],
    read: (value) => ({ decimalSign: value === 'comma' ? ',' : value === 'point' ? '.' : null }),
    write: ({ decimalSign }) => (decimalSign === null ? 'unknown' : decimalSign === ',' ? 'comma' : 'point'),
  },
  dateOrder: {
    label: 'Dates such as 03/04/2026',
    options: [
      { value: 'unknown', label: 'Please choose: the file does not tell' },
      { value: 'day', label: 'Begin with the day: 3 April' },
      { value: 'month', label: 'Begin with the month: March 4' },
    ],
    read: (value) => ({ dateOrder: value === 'day' || value === 'month' ? value : null }),
    write: ({ dateOrder }) => dateOrder ?? 'unknown',
  },
  role: {
    label: 'New people without a role in the file',
    options: [
      { value: 'none', label: 'Only receive videos' },
      { value: 'groupadmin', label: 'Become group administrators' },
      { value: 'admin', label: 'Become administrators' },
    ],
    read: (value) => ({ role: value === 'admin' || value === 'groupadmin' ? value : null }),
    write: ({ role }) => role ?? 'none',
  },
  invite: {
    label: 'New people with a role',
    options: [
      { value: 'no', label: 'Get no mail yet: you can invite them later' },
      { value: 'yes', label: 'Get an invitation by mail' },
    ],
    read: (value) => ({ invite: value === 'yes' }),
    write: ({ invite }) => (invite ? 'yes' : 'no'),
  },
}
