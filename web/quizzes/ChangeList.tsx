import type { Change } from './compare.ts'
import classes from '#web/ui/lines.module.css'

const words = { added: 'New', removed: 'Gone', changed: 'Changed' } as const

/** What is different between two versions, one line for each question or rule. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  return (
    <ul className={classes['dots']}>
      {changes.map(({ kind, key, name, what }) => (
        <li key={`${kind} ${key}`} data-kind={kind}>
          <strong>{words[kind]}</strong> {name}: {what}
        </li>
      ))}
    </ul>
  )
}
