import { useEffect, useLayoutEffect, useRef } from 'react'
import { usePhone } from '#web/ui/browser/usePhone.ts'
import { indexOf, type CueFault, type Cues } from './cues.ts'
import { CueRow, type CueActs } from './CueRow.tsx'
import { useRows } from './useRows.ts'
import classes from './Editor.module.css'

/** Where the focus is to go; another object goes there again. */
export type Aim = { key: string; part: 'text' | 'start' | 'end'; cursor?: number }

type Props = {
  cues: Cues
  faults: ReadonlyMap<number, readonly CueFault[]>
  /** The one that the focus was in last. */
  current: string | null
  playing: string | undefined
  aim: Aim | undefined
  acts: CueActs
}

/** Pixels, as in the style of the rows. */
const heights = { desk: 124, phone: 180 } as const

const none: readonly CueFault[] = []

/** All captions as rows, of which those in sight are drawn. */
export function CueList({ cues, faults, current, playing, aim, acts }: Props) {
  const height = usePhone() ? heights.phone : heights.desk
  const { box, drawn, look, show } = useRows({ count: cues.length, height, kept: indexOf(cues, current) })
  /** A change of the captions is no reason to move the focus or the list. */
  const latest = useRef(cues)
  useLayoutEffect(() => {
    latest.current = cues
  })
  useEffect(() => {
    const { current: list } = box
    const arrive = ({ target }: FocusEvent) => {
      const row = target instanceof Element ? target.closest<HTMLElement>('[data-cue]') : null
      if (row?.dataset['cue'] !== undefined) acts.arrive(row.dataset['cue'])
    }
    list?.addEventListener('focusin', arrive)
    return () => list?.removeEventListener('focusin', arrive)
  }, [box, acts])
  useLayoutEffect(() => {
    if (!aim) return
    show(indexOf(latest.current, aim.key))
    const row = box.current?.querySelector(`[data-cue="${aim.key}"]`)
    const field = row?.querySelector<HTMLInputElement | HTMLTextAreaElement>(`[data-part="${aim.part}"]`)
    field?.focus({ preventScroll: true })
    if (aim.cursor !== undefined) field?.setSelectionRange(aim.cursor, aim.cursor)
  }, [aim, box, show])
  useLayoutEffect(() => {
    // Whoever types keeps their place.
    if (playing !== undefined && !box.current?.contains(document.activeElement))
      show(indexOf(latest.current, playing))
  }, [playing, box, show])
  return (
    <div ref={box} className={classes.box} onScroll={look}>
      <ol aria-label="Captions in their order" style={{ height: cues.length * height }}>
        {drawn.map((at) => {
          const cue = cues[at]
          return (
            cue && (
              <CueRow
                key={cue.key}
                cue={cue}
                at={at}
                count={cues.length}
                top={at * height}
                faults={faults.get(at) ?? none}
                isPlaying={cue.key === playing}
                acts={acts}
              />
            )
          )
        })}
      </ol>
    </div>
  )
}
