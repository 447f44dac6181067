import { useEffect, useRef, useState } from 'react'

/** Milliseconds without a key before what was typed takes effect. */
const pause = 250

/**
 * What is typed into a field whose value lives elsewhere, such as in the address: told after a pause, and overwritten where the value
 * changes by other means.
 */
export function useTyped(value: string, onTell: (text: string) => void) {
  const [text, setText] = useState(value)
  const told = useRef(value)
  useEffect(() => {
    if (value !== told.current) setText(value)
    told.current = value
  }, [value])
  useEffect(() => {
    if (text.trim() === told.current) return
    const timer = setTimeout(() => {
      told.current = text.trim()
      onTell(told.current)
    }, pause)
    return () => clearTimeout(timer)
  }, [text, onTell])
  return [text, setText] as const
}
