import { useSyncExternalStore } from 'react'
import { keep } from '#web/ui/persisted.ts'
import { choiceFrom, choicePattern } from './choice.ts'
import type { Search } from './search.ts'

/** The choice of videos by organization, as the address has it. */
type Choices = Readonly<Record<string, string>>

function parse(text: string | null): Choices {
  const given: unknown = JSON.parse(text ?? '{}')
  const entries = Object.entries(given as object).flatMap(([orgId, cols]) =>
    typeof cols === 'string' && choicePattern.test(cols) ? [[orgId, cols] as const] : [],
  )
  return Object.fromEntries(entries)
}

const kept = keep<Choices>('training-videos', { parse, format: JSON.stringify })

type Change = (patch: Partial<Search>) => void

/** Which videos have a column: as the address says, and where it says nothing, as this browser remembers. */
export function useKeptColumns(orgId: string, given: Search, change: Change): [Search, Change] {
  const remembered = useSyncExternalStore(kept.subscribe, kept.read)[orgId] ?? ''
  if (given.cols !== '' || remembered === '') return [given, (patch) => change(noted(orgId, patch))]
  const order = choiceFrom(remembered).kind === 'only' ? 'chosen' : given.order
  const state = { ...given, cols: remembered, order }
  return [state, (patch) => change(noted(orgId, { cols: remembered, order, ...patch }))]
}

function noted(orgId: string, patch: Partial<Search>): Partial<Search> {
  const { cols, organization } = patch
  if (cols !== undefined && organization === undefined) kept.save({ ...kept.read(), [orgId]: cols })
  return patch
}
