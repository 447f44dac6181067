import { Button, TextInput } from '@mantine/core'
import { useState, type KeyboardEvent } from 'react'
import { usePosition, type Playhead } from './playhead.ts'
import { formatPosition, parsePosition } from './position.ts'
import classes from './QuestionForm.module.css'
import shapes from '#web/ui/shapes.module.css'

type Props = {
  label: string
  value: number
  /** The last moment that is possible, in milliseconds. */
  most: number | null
  playhead: Playhead
  error?: string | undefined
  onChange: (ms: number) => void
}

/** A moment of the video: typed, moved by a second with the arrow keys (ten with Shift), or taken from where the video stands. */
export function TimeField({ label, value, most, playhead, error, onChange }: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  const parsed = typed === null ? value : parsePosition(typed)
  const wrong =
    parsed === null
      ? 'Write it like 1:05.'
      : most !== null && parsed > most
        ? `The video ends at ${formatPosition(most)}.`
        : undefined
  const take = () => {
    if (typed !== null && parsed !== null && wrong === undefined) {
      onChange(parsed)
      setTyped(null)
    }
  }
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return take()
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (!way || parsed === null) return
    event.preventDefault()
    setTyped(null)
    const next = parsed + way * (event.shiftKey ? 10_000 : 1_000)
    onChange(Math.max(0, Math.min(next, most ?? Infinity)))
  }
  return (
    <div className={classes.time}>
      <TextInput
        label={label}
        value={typed ?? formatPosition(value)}
        error={wrong ?? error}
        inputMode="decimal"
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={take}
        onKeyDown={move}
      />
      <PresentPosition playhead={playhead} about={label} onUse={onChange} />
    </div>
  )
}

type PresentProps = { playhead: Playhead; about: string; onUse: (ms: number) => void }

function PresentPosition({ playhead, about, onUse }: PresentProps) {
  const position = usePosition(playhead)
  return (
    <Button variant="default" onClick={() => onUse(playhead.read())}>
      Use&nbsp;{formatPosition(Math.floor(position / 1_000) * 1_000)}
      <span className={shapes.sr}>, the present position: {about}</span>
    </Button>
  )
}
