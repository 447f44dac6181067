import { IconInfoCircle } from '@tabler/icons-react'
import classes from './Meaning.module.css'
import shapes from './look/shapes.module.css'
import { shows } from './overlays/tips.ts'

/** What exactly a figure counts, one click away: a sign at the corner of what stands around it, and below it the words. */
export function Meaning({ label, children }: { label: string; children: string }) {
  return (
    <details className={classes.meaning}>
      <summary data-screen-only {...shows(`What “${label}” means`)}>
        <IconInfoCircle size={16} aria-hidden />
        <span className={shapes.sr}>What “{label}” means</span>
      </summary>
      <p className={shapes.hint}>{children}</p>
    </details>
  )
}
