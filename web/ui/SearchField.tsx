import { CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'

type Props = {
  label: string
  value: string
  onSearch: (text: string) => void
  placeholder?: string
}

/** Milliseconds without a key before the search starts. */
const pause = 250

/** Searches while one types. The label is there for screen readers; the placeholder says the same. */
export function SearchField({ label, value, onSearch, placeholder = label }: Props) {
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
      onSearch(told.current)
    }, pause)
    return () => clearTimeout(timer)
  }, [text, onSearch])
  return (
    <TextInput
      type="search"
      className="ui-search"
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text ? <CloseButton size="sm" aria-label="Clear the search" onClick={() => setText('')} /> : null
      }
    />
  )
}
