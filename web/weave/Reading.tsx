import { Button } from '@mantine/core'
import { IconBellRinging, IconPencil } from '@tabler/icons-react'
import { formatStretch, plural } from '#web/ui/format.ts'
import shapes from '#web/ui/shapes.module.css'
import type { Counts, Part } from './lacking.ts'
import styles from './Weave.module.css'
import { apartText, lackingText } from './words.ts'

type Props = {
  looked: Part | null
  /** Null while they are counted. */
  counts: Counts | null
  people: number
  /** It stays when the pointer leaves. */
  isChosen: boolean
  /** Who they are. */
  isKnown: boolean
  isWriting: boolean
  onClear: () => void
  onAct: () => void
}

/** What is looked at in words, and what can be done about it. */
export function Reading({ looked, counts, people, isChosen, isKnown, isWriting, onClear, onAct }: Props) {
  return (
    <div className={`${shapes.apart} ${styles.reading}`} data-screen-only>
      <div>
        {!looked && <p>Point at a second. Draw over a part to choose who lacks it.</p>}
        {looked && !counts && <p>Counting who lacks {formatStretch(looked)}…</p>}
        {looked && counts && (
          <>
            <p>
              <strong>{lackingText(counts, people, looked)}</strong>
            </p>
            <p className={shapes.hint}>
              {apartText(counts)}{' '}
              {isChosen && counts.lacking > 0 && counts.owing === 0 && 'None of them owes it.'}
            </p>
          </>
        )}
      </div>
      {looked && isChosen && (
        <div className={shapes.row}>
          <Button variant="default" onClick={onClear}>
            Choose nothing
          </Button>
          {counts && counts.owing > 0 && (
            <Button leftSection={<IconBellRinging size={16} aria-hidden />} onClick={onAct}>
              Remind {plural(counts.owing, 'person', 'people')} about {formatStretch(looked)}
            </Button>
          )}
          {isKnown && counts && counts.lacking > 0 && counts.owing === 0 && (
            <Button leftSection={<IconPencil size={16} aria-hidden />} loading={isWriting} onClick={onAct}>
              Write to {plural(counts.lacking, 'person', 'people')} about {formatStretch(looked)}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
