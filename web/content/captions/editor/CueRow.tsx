import { Textarea, TextInput } from '@mantine/core'
import {
  IconArrowMerge,
  IconArrowsSplit2,
  IconClockShare,
  IconPlayerPlay,
  IconPlus,
  IconTrash,
  IconWand,
} from '@tabler/icons-react'
import { memo, useState } from 'react'
import { longestCue } from '#contract/videos/captions.ts'
import type { EditedCue } from '#contract/videos/cues.ts'
import { formatNumber } from '#contract/platform/text/format.ts'
import { IconButton } from '#web/ui/IconButton.tsx'
import { tip } from '#web/ui/overlays/tips.ts'
import { RowMenu } from '#web/ui/table/RowMenu.tsx'
import { readable, speedOf, timeOf, timeText, type CueFault } from './cues.ts'
import classes from './Editor.module.css'

/** What can be done to the caption with this key. */
export type CueActs = {
  change: (key: string, change: Partial<EditedCue>) => void
  split: (key: string) => void
  merge: (key: string) => void
  addAfter: (key: string) => void
  remove: (key: string) => void
  shiftFrom: (key: string) => void
  mend: (key: string) => void
  play: (key: string) => void
  /** The focus is in it. */
  arrive: (key: string) => void
}

type Props = {
  cue: EditedCue
  at: number
  count: number
  /** Pixels from the top of the list. */
  top: number
  faults: readonly CueFault[]
  isPlaying: boolean
  acts: CueActs
}

export const CueRow = memo(function CueRow({ cue, at, count, top, faults, isPlaying, acts }: Props) {
  const { key, startMs, endMs, text } = cue
  const number = at + 1
  const name = `caption ${number}`
  const about =
    faults.length > 0
      ? faults.map(wordsOf).join(' ')
      : `${formatNumber(Math.round(speedOf(cue)))} signs a second`
  return (
    <li
      data-cue={key}
      data-playing={isPlaying || undefined}
      aria-current={isPlaying || undefined}
      aria-setsize={count}
      aria-posinset={number}
      className={classes.cue}
      style={{ top }}
    >
      <div className={classes.head}>
        <span className={classes.number}>{number}</span>
        <IconButton
          tone="quiet"
          icon={IconPlayerPlay}
          label={`Play from ${name}`}
          title="Play from here"
          onClick={() => acts.play(key)}
        />
      </div>
      <div className={classes.times}>
        <TimeField
          label={`Start of ${name}`}
          part="start"
          ms={startMs}
          faultOf={(ms) => (ms < endMs ? undefined : 'It would begin after its end. Change the end first.')}
          onTake={(ms) => acts.change(key, { startMs: ms })}
        />
        <TimeField
          label={`End of ${name}`}
          part="end"
          ms={endMs}
          faultOf={(ms) =>
            ms > startMs ? undefined : 'It would end before it begins. Change the start first.'
          }
          onTake={(ms) => acts.change(key, { endMs: ms })}
        />
      </div>
      <Textarea
        className={classes.text ?? ''}
        aria-label={`Text of ${name}`}
        aria-description={about}
        data-part="text"
        rows={2}
        maxLength={longestCue}
        value={text}
        onChange={({ currentTarget: { value } }) => acts.change(key, { text: value })}
      />
      <div>
        <RowMenu
          name={name}
          acts={[
            { icon: IconArrowsSplit2, label: 'Split', onPress: () => acts.split(key) },
            at < count - 1 && {
              icon: IconArrowMerge,
              label: 'Merge with the next',
              onPress: () => acts.merge(key),
            },
            { icon: IconPlus, label: 'Add one after it', onPress: () => acts.addAfter(key) },
            { icon: IconClockShare, label: 'Shift from here on', onPress: () => acts.shiftFrom(key) },
            faults.some(({ kind }) => kind === 'overlap') && {
              icon: IconWand,
              label: 'Mend the overlap',
              onPress: () => acts.mend(key),
            },
            { icon: IconTrash, label: 'Remove', isDangerous: true, onPress: () => acts.remove(key) },
          ]}
        />
      </div>
      <p className={classes.about} data-late={faults.length > 0 || undefined}>
        {about}
      </p>
    </li>
  )
})

/** What is wrong with a caption, and what to do. */
function wordsOf(fault: CueFault): string {
  if (fault.kind === 'empty') return 'It has no text, and is not saved yet.'
  if (fault.kind === 'overlap') return 'It begins while the one before it is still shown.'
  if (fault.kind === 'line')
    return `A line has ${fault.signs} signs; more than ${readable.line} are hard to read.`
  if (fault.kind === 'lines')
    return `It has ${fault.lines} lines; more than ${readable.lines} hide the picture.`
  const speed = formatNumber(Math.round(fault.speed))
  return fault.isTooFast
    ? `${speed} signs a second are too fast to be read; up to ${readable.speed} are easy.`
    : `${speed} signs a second are fast; up to ${readable.speed} are easy.`
}

type TimeProps = {
  label: string
  part: 'start' | 'end'
  ms: number
  faultOf: (ms: number) => string | undefined
  onTake: (ms: number) => void
}

/** Takes what is typed when it is left, or with Enter: half a time is none. */
function TimeField({ label, part, ms, faultOf, onTake }: TimeProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const read = typed === null ? ms : timeOf(typed)
  const fault = read === undefined ? 'Write a time such as 1:02.500.' : faultOf(read)
  const take = () => {
    if (typed === null || read === undefined || fault !== undefined) return
    setTyped(null)
    if (read !== ms) onTake(read)
  }
  return (
    <TextInput
      aria-label={label}
      data-part={part}
      inputMode="decimal"
      maxLength={16}
      value={typed ?? timeText(ms)}
      error={typed !== null && fault !== undefined}
      {...tip(typed === null ? undefined : fault)}
      onChange={({ currentTarget: { value } }) => setTyped(value)}
      onBlur={() => {
        take()
        if (fault !== undefined) setTyped(null)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take()
        if (event.key === 'Escape') setTyped(null)
      }}
    />
  )
}
