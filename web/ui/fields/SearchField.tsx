import { CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useTyped } from './typed.ts'
import classes from '../FilterBar.module.css'

type Props = {
  label: string
  value: string
  onSearch: (text: string) => void
  placeholder?: string
}

/** Searches while one types. The label is there for screen readers; the placeholder says the same. */
export function SearchField({ label, value, onSearch, placeholder = label }: Props) {
  const [text, setText] = useTyped(value, onSearch)
  return (
    <TextInput
      type="search"
      wrapperProps={{ 'data-part': 'search' }}
      className={classes.search}
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
