import { useEffect, useState } from 'react'
import { drafts } from './drafts.ts'
import { session } from '../session.ts'

/** Milliseconds until what was typed is in storage. */
const delay = 500

/**
 * The place in storage where a form keeps what is not saved yet; `found` is what an earlier page has left there. Without a
 * name nothing is kept, and neither while somebody looks through other eyes.
 */
export function useDraft(name: string | undefined) {
  const [draft] = useState(() => openDraft(name))
  useEffect(() => {
    addEventListener('pagehide', draft.flush)
    document.addEventListener('visibilitychange', draft.flush)
    return () => {
      removeEventListener('pagehide', draft.flush)
      document.removeEventListener('visibilitychange', draft.flush)
      draft.flush()
    }
  }, [draft])
  return draft
}

function openDraft(name: string | undefined) {
  const { user, viewing } = session.read()
  const key = name && user && !viewing ? drafts.keyOf(user.id, name) : undefined
  let waiting: { content: unknown } | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
    waiting = null
  }
  const flush = (): void => {
    // Who has signed out wants nothing to stay behind.
    if (key !== undefined && waiting && session.read().user?.id === user?.id)
      drafts.write(key, waiting.content)
    stop()
  }
  return {
    found: key === undefined ? null : drafts.read(key),
    flush,
    keep: (content: unknown): void => {
      waiting = { content }
      timer ??= setTimeout(flush, delay)
    },
    forget: (): void => {
      stop()
      if (key !== undefined) drafts.remove(key)
    },
  }
}
