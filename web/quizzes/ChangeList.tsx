import type { Change } from './compare.ts'
import shapes from '#web/ui/shapes.module.css'

const words = { added: 'New', removed: 'Gone', changed: 'Changed' } as const

/** What is different between two versions, one line for each question or rule. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  return (
    <ul className={shapes.bullets}>
      {changes.map(({ kind, key, name, what }) => (
        <li key={`${kind} ${key}`} data-kind={kind}>
          <strong>{words[kind]}</strong> {name}: {what}
        </li>
      ))}
    </ul>
  )
}
