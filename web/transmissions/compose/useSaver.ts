import { useEffect, useRef, useState } from 'react'
import { session } from '#web/api/session.ts'
import { forgetPlans, openSaver, type Saved, type Saver, type Saving } from './saving.ts'

/**
 * Returns the saver of one composer, and what it says. Nothing is saved while somebody looks at the console through the eyes of somebody
 * else.
 */
type More = { isOn: boolean; onFirstSave?: ((id: string) => void) | undefined }

export function useSaver(start: Saved | null, { isOn, onFirstSave }: More) {
  const [saving, setSaving] = useState<Saving>({ is: 'nothing' })
  const [saver] = useState<Saver>(() => openSaver(start, setSaving))
  const reported = useRef(start?.id)
  const id = saver.saved()?.id
  useEffect(() => {
    if (id === undefined || id === reported.current) return
    reported.current = id
    onFirstSave?.(id)
  }, [id, onFirstSave])
  useEffect(() => {
    const flush = () => void saver.flush()
    addEventListener('online', flush)
    addEventListener('pagehide', flush)
    document.addEventListener('visibilitychange', flush)
    return () => {
      removeEventListener('online', flush)
      removeEventListener('pagehide', flush)
      document.removeEventListener('visibilitychange', flush)
      void saver.flush().then(forgetPlans)
    }
  }, [saver])
  return { saver, saving, isOn: isOn && !session.read().viewing }
}
