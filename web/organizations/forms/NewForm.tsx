import { Button } from '@mantine/core'
import { useRef } from 'react'

/** Two ways to submit a form that creates: to be done with it, or to go on with the next one. */
export function useAnother() {
  const wanted = useRef(false)
  return {
    isWanted: () => wanted.current,
    submit(isAnother: boolean, onSubmit: () => void) {
      wanted.current = isAnother
      onSubmit()
    },
  }
}

export function AnotherButton({ onPress }: { onPress: () => void }) {
  return (
    <Button variant="default" type="button" onClick={onPress}>
      Save and add another
    </Button>
  )
}
