import { IconInfoCircle } from '@tabler/icons-react'
import type { Quality } from '#contract/tracking/quality.ts'
import { qualityFacts } from '#contract/tracking/quality-labels.ts'
import classes from './DataQuality.module.css'
import { Facts } from '../fields/Field.tsx'
import { formatMoment } from '../format.ts'
import shapes from '../look/shapes.module.css'

/** To which moment figures are complete; opened, what they are made of and how far they can be trusted. */
export function DataQuality({ quality }: { quality: Quality }) {
  const { completeTo } = quality
  return (
    <details className={classes.quality}>
      <summary className={`${shapes.row} ${shapes.hint}`}>
        <span>
          Complete to <time dateTime={completeTo}>{formatMoment(completeTo)}</time>
        </span>
        <IconInfoCircle size={16} aria-hidden data-screen-only />
      </summary>
      <Facts facts={qualityFacts(quality)} />
    </details>
  )
}
