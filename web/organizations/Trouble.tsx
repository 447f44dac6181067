import { IconAlertTriangle, IconMailX } from '@tabler/icons-react'
import { barWords } from '#contract/transmissions/barred-labels.ts'
import { deliveryStateLabels } from '#contract/transmissions/delivery-labels.ts'
import { explainReason } from '#contract/transmissions/delivery-reasons.ts'
import type { MailTrouble } from '#contract/directory/users.ts'
import { Tip } from '../ui/overlays/Tip.tsx'
import badge from '../ui/figures/StatusBadge.module.css'

/** What keeps mail from somebody, and why: a mark beside their address, which has no room for words. */
export function Trouble({ trouble }: { trouble: MailTrouble }) {
  const isBarred = trouble.kind === 'barred'
  const Icon = isBarred ? IconAlertTriangle : IconMailX
  return (
    <Tip className={badge.badge} data-tone={isBarred ? 'warning' : 'danger'} text={wordsOf(trouble)}>
      <Icon size={16} aria-hidden />
    </Tip>
  )
}

function wordsOf({ kind, reason }: MailTrouble): string {
  if (kind === 'barred') return `Barred: ${barWords({ reason: reason ?? '' })}`
  const { word, means } = deliveryStateLabels[kind]
  return `${word}: ${explainReason(reason) ?? means}`
}
