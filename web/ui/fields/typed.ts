import { useEffect, useRef, useState } from 'react'

/** Milliseconds without a key before what was typed takes effect. */
const pause = 250

/**
 * What is typed into a field whose value lives elsewhere, such as in the address: told after a pause, and overwritten where the value
 * changes by other means.
 */
export function useTyped(value: string, onTell: (text: string) => void) {
  const [text, setText] = useState(value)
  const reported = useRef(value)
  useEffect(() => {
    if (value !== reported.current) setText(value)
    reported.current = value
  }, [value])
  useEffect(() => {
    if (text.trim() === reported.current) return
    const timer = setTimeout(() => {
      reported.current = text.trim()
      onTell(reported.current)
    }, pause)
    return () => clearTimeout(timer)
  }, [text, onTell])
  return [text, setText] as const
}
