import { useMemo, useRef, useState, useLayoutEffect } from 'react'
import { randomKey } from '#web/api/query.ts'
import { usePageKeys } from '#web/layout/shortcuts/pageKeys.ts'
import { toast, type ToastAction } from '#web/ui/feedback/toasts.ts'
import type { Aim } from './CueList.tsx'
import type { CueActs } from './CueRow.tsx'
import {
  addCue,
  changeCue,
  cutAtCursor,
  cutAtMoment,
  indexOf,
  mendOverlap,
  mergeWithNext,
  removeCue,
  splitCue,
  type CueFault,
  type Cues,
} from './cues.ts'
import type { CueEditor } from './draft.ts'
import { momentOf } from './playing.ts'

type CueDialog = { kind: 'replace' } | { kind: 'shift'; from: string | null }

type Given = {
  video: HTMLVideoElement | undefined
  faults: ReadonlyMap<number, readonly CueFault[]>
  /** Goes there and plays. */
  onPlay: (from: { ms: number }) => void
}

/** Where the cursor is in the text of this caption; undefined where it is elsewhere. */
function cursorIn(key: string): number | undefined {
  const { activeElement } = document
  if (!(activeElement instanceof HTMLTextAreaElement)) return undefined
  const isHere = activeElement.closest<HTMLElement>('[data-cue]')?.dataset['cue'] === key
  return isHere ? activeElement.selectionStart : undefined
}

/** For the message after a step: takes it back, as long as it is the last one. */
export function undoOf(editor: CueEditor): ToastAction {
  const { draft } = editor.read().history
  const run = () => {
    if (editor.read().history.draft === draft) editor.undo()
    else toast.info('Something was changed since. Ctrl+Z goes back step by step.')
  }
  return { label: 'Undo', run }
}

/** What is done with captions, by a press, in a menu or by a key. */
export function useCueWork(editor: CueEditor, given: Given) {
  const [current, setCurrent] = useState<string | null>(null)
  const [aim, setAim] = useState<Aim>()
  const [dialog, setDialog] = useState<CueDialog>()
  const latest = useRef(given)
  useLayoutEffect(() => {
    latest.current = given
  })
  const acts = useMemo(() => {
    const cuesNow = () => editor.read().history.draft.cues
    const edit = (change: (cues: Cues) => Cues, tag?: string) =>
      editor.edit((draft) => {
        const cues = change(draft.cues)
        return cues === draft.cues ? draft : { cues }
      }, tag)
    const goTo = (key: string, part: Aim['part'] = 'text', cursor?: number) => {
      setCurrent(key)
      setAim({ key, part, ...(cursor !== undefined && { cursor }) })
    }
    const add = (startMs: number) => {
      const key = randomKey()
      edit((cues) => addCue(cues, startMs, key))
      goTo(key)
    }
    const split = (key: string) => {
      const cue = cuesNow().find((one) => one.key === key)
      if (!cue) return
      const cursor = cursorIn(key)
      const atCursor = cursor === undefined ? null : cutAtCursor(cue, cursor)
      const cut = atCursor ?? cutAtMoment(cue, momentOf(latest.current.video))
      if (!cut)
        return toast.info(
          'Put the cursor between two words, or the video to a moment within the caption; then split it there.',
        )
      const second = randomKey()
      edit((cues) => splitCue(cues, key, { ...cut, second }))
      goTo(second, 'text', 0)
    }
    const merge = (key: string) => {
      const before = cuesNow().find((one) => one.key === key)
      const merged = mergeWithNext(cuesNow(), key)
      if (!merged || !before)
        return toast.info('There is no caption after it, or together they would be too long.')
      edit(() => merged)
      goTo(key, 'text', before.text.trim().length)
    }
    const remove = (key: string) => {
      const at = indexOf(cuesNow(), key)
      edit((cues) => removeCue(cues, key))
      const next = cuesNow()[Math.min(at, cuesNow().length - 1)]
      if (next) goTo(next.key)
      toast.success('The caption is removed.', undoOf(editor))
    }
    const play = (key: string) => {
      const cue = cuesNow().find((one) => one.key === key)
      if (cue) latest.current.onPlay({ ms: cue.startMs })
    }
    const rows: CueActs = {
      change: (key, change) =>
        edit((cues) => changeCue(cues, key, change), `${key} ${Object.keys(change).join()}`),
      split,
      merge,
      addAfter: (key) => add(cuesNow().find((one) => one.key === key)?.endMs ?? 0),
      remove,
      shiftFrom: (from) => setDialog({ kind: 'shift', from }),
      mend: (key) => edit((cues) => mendOverlap(cues, key)),
      play,
      arrive: setCurrent,
    }
    /** The caption so many places further on, or the first or last. */
    const step = (from: string | null, by: number) => {
      const cues = cuesNow()
      const at = indexOf(cues, from) + by
      const next = cues[Math.min(cues.length - 1, Math.max(0, at))]
      if (next) goTo(next.key)
    }
    /** Begins or ends where the video stands. */
    const setTime = (key: string, part: 'start' | 'end') => {
      const cue = cuesNow().find((one) => one.key === key)
      const ms = momentOf(latest.current.video)
      if (!cue) return
      if (part === 'start' ? ms >= cue.endMs : ms <= cue.startMs)
        return toast.info('The video does not stand there: a caption ends after it has begun.')
      edit((cues) => changeCue(cues, key, part === 'start' ? { startMs: ms } : { endMs: ms }))
    }
    const toNextFault = (from: string | null) => {
      const cues = cuesNow()
      const places = [...latest.current.faults.keys()]
      const at = places.find((one) => one > indexOf(cues, from)) ?? places[0]
      const cue = at === undefined ? undefined : cues[at]
      if (cue) goTo(cue.key)
    }
    const turn = (key: string | null) => {
      const { video } = latest.current
      if (video && !video.paused) video.pause()
      else if (key !== null) play(key)
      else void video?.play().catch(() => undefined)
    }
    return { rows, add, step, setTime, toNextFault, turn }
  }, [editor])
  return {
    acts: acts.rows,
    current,
    aim,
    dialog,
    open: setDialog,
    close: () => setDialog(undefined),
    add: () => acts.add(momentOf(given.video)),
    step: (by: number) => acts.step(current, by),
    setTime: (part: 'start' | 'end') => current !== null && acts.setTime(current, part),
    toNextFault: () => acts.toNextFault(current),
    turn: () => acts.turn(current),
    /** Does it with the caption in which the focus was last. */
    here: (act: (key: string) => void) => current !== null && act(current),
  }
}

type CueWork = ReturnType<typeof useCueWork>

/** All of it without a pointer; the list of shortcuts has them. */
export function useCueKeys({ acts, here, ...work }: CueWork, editor: CueEditor): void {
  usePageKeys([
    { keys: 'Alt+N', label: 'Add a caption where the video stands', run: work.add },
    { keys: 'Alt+ArrowDown', label: 'To the next caption', run: () => work.step(1) },
    { keys: 'Alt+ArrowUp', label: 'To the one before', run: () => work.step(-1) },
    { keys: 'Alt+P', label: 'Play from the caption, or pause', run: work.turn },
    { keys: 'Alt+I', label: 'The caption begins where the video stands', run: () => work.setTime('start') },
    { keys: 'Alt+O', label: 'The caption ends where the video stands', run: () => work.setTime('end') },
    {
      keys: 'Ctrl+Enter',
      label: 'Split the caption at the cursor, or where the video stands',
      run: () => here(acts.split),
    },
    { keys: 'Alt+M', label: 'Merge the caption with the next', run: () => here(acts.merge) },
    { keys: 'Alt+R', label: 'Remove the caption', run: () => here(acts.remove) },
    { keys: 'Alt+E', label: 'Mend the overlap of the caption', run: () => here(acts.mend) },
    { keys: 'Alt+S', label: 'Shift from the caption on', run: () => here(acts.shiftFrom) },
    { keys: 'Alt+H', label: 'Find and replace', run: () => work.open({ kind: 'replace' }) },
    { keys: 'Alt+L', label: 'To the next that is to be looked at', run: work.toNextFault },
    { keys: 'Ctrl+Z', label: 'Undo', run: editor.undo },
    { keys: 'Ctrl+Shift+Z', label: 'Redo', run: editor.redo },
    { keys: 'Ctrl+Y', label: 'Redo', run: editor.redo },
  ])
}
