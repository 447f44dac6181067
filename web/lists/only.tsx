import type { AlertKind } from '#contract/alerts.ts'
import { onDemand } from '#web/ui/onDemand.tsx'
import type { Filter } from './bar/filters.ts'

const OnlyLabel = onDemand(async () => (await import('./OnlyLabel.tsx')).OnlyLabel)

/** What a dashboard led to, as a filter that only a link sets. */
export function onlyThese(attention: AlertKind | undefined, clear: () => void): readonly Filter[] {
  if (!attention) return []
  return [{ label: 'Only these', chosen: <OnlyLabel attention={attention} />, clear, field: null }]
}
