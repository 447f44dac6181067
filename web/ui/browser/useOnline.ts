import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)
const isOnline = () => onlineManager.isOnline()

/** Whether there is a network; without one, whatever is asked of the server waits. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, isOnline)
}
