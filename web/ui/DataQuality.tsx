import shapes from './shapes.module.css'
import classes from './DataQuality.module.css'
import { IconShieldCheck } from '@tabler/icons-react'
import type { Quality } from '#contract/quality.ts'
import { qualityFacts, qualityLine } from '#contract/quality-labels.ts'
import { Facts } from './Field.tsx'
import { formatSecond } from './format.ts'

/** The line under a figure that says how far it can be trusted; opened, it says what each of its words means. */
export function DataQuality({ quality }: { quality: Quality }) {
  const { completeTo } = quality
  return (
    <details className={classes.quality}>
      <summary className={shapes.row}>
        <IconShieldCheck size={16} aria-hidden />
        <span>
          Complete to <time dateTime={completeTo}>{formatSecond(completeTo)}</time>
        </span>
        {qualityLine(quality).map((words) => (
          <span key={words}>{words}</span>
        ))}
      </summary>
      <Facts facts={qualityFacts(quality)} />
    </details>
  )
}
