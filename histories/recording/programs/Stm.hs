-- Records a history of GHC's software transactional memory.
--
-- A transaction that GHC starts again by itself is ended instead: so its abort stands in the history
-- where it was, and the next begin before the memory begins. What is noted within a transaction goes
-- to buffers in C, which nobody rolls back.
module Main (main) where

import Control.Concurrent (forkOn, setNumCapabilities)
import Control.Concurrent.MVar (newEmptyMVar, putMVar, takeMVar)
import Control.Concurrent.STM
import Control.Exception (Exception, try)
import Control.Monad (forM, forM_, unless, when)
import Data.Array (Array, listArray, (!))
import Data.IORef (newIORef, readIORef, writeIORef)
import Foreign.C.String (CString, withCString)
import Foreign.C.Types (CInt (..), CLong (..))
import Foreign.Marshal.Array (withArray)
import Foreign.Ptr (Ptr)
import GHC.Conc (unsafeIOToSTM)
import System.Environment (getArgs)

foreign import ccall unsafe "open_recording" openRecording :: CString -> CString -> CString -> IO ()
foreign import ccall unsafe "planned_threads" plannedThreads :: IO CInt
foreign import ccall unsafe "planned_objects" plannedObjects :: IO CLong
foreign import ccall unsafe "planned_lists" plannedLists :: IO CInt
foreign import ccall unsafe "planned_transactions" plannedTransactions :: CInt -> IO CLong
foreign import ccall unsafe "planned_abort" plannedAbort :: CInt -> CLong -> IO CInt
foreign import ccall unsafe "planned_steps" plannedSteps :: CInt -> CLong -> IO CInt
foreign import ccall unsafe "step_kind" stepKind :: CInt -> CLong -> CInt -> IO CInt
foreign import ccall unsafe "step_object" stepObject :: CInt -> CLong -> CInt -> IO CLong
foreign import ccall unsafe "step_value" stepValue :: CInt -> CLong -> CInt -> IO CLong
foreign import ccall unsafe "pause_step" pauseStep :: IO ()
foreign import ccall unsafe "is_over" isOver :: IO CInt
foreign import ccall unsafe "note_begin" noteBegin :: CInt -> CLong -> IO ()
foreign import ccall unsafe "note_read" noteRead :: CInt -> CLong -> CLong -> IO ()
foreign import ccall unsafe "note_read_list" noteReadList :: CInt -> CLong -> CLong -> Ptr CLong -> IO ()
foreign import ccall unsafe "note_write" noteWrite :: CInt -> CLong -> CLong -> IO ()
foreign import ccall unsafe "note_append" noteAppend :: CInt -> CLong -> CLong -> IO ()
foreign import ccall unsafe "note_try_commit" noteTryCommit :: CInt -> IO ()
foreign import ccall unsafe "note_commit" noteCommit :: CInt -> IO ()
foreign import ccall unsafe "note_abort" noteAbort :: CInt -> IO ()

-- The value of an object: one number in a list, or a list with the last value first.
type Objects = Array Int (TVar [CLong])

data Ended = Ended deriving (Show)

instance Exception Ended

runStep :: Bool -> Objects -> CInt -> CLong -> CInt -> STM ()
runStep lists objects thread number k = do
  kind <- unsafeIOToSTM (stepKind thread number k)
  x <- unsafeIOToSTM (stepObject thread number k)
  value <- unsafeIOToSTM (stepValue thread number k)
  case toEnum (fromIntegral kind) of
    'p' -> unsafeIOToSTM pauseStep
    'r' -> do
      found <- readTVar (objects ! fromIntegral x)
      unsafeIOToSTM $
        if lists
          then withArray (reverse found) (noteReadList thread x (fromIntegral (length found)))
          else noteRead thread x (head found)
    'a' -> do
      found <- readTVar (objects ! fromIntegral x)
      writeTVar (objects ! fromIntegral x) (value : found)
      unsafeIOToSTM (noteAppend thread x value)
    _ -> do
      writeTVar (objects ! fromIntegral x) [value]
      unsafeIOToSTM (noteWrite thread x value)

runTransaction :: Bool -> Objects -> CInt -> CLong -> IO ()
runTransaction lists objects thread number = do
  steps <- plannedSteps thread number
  aborts <- plannedAbort thread number
  ran <- newIORef False
  noteBegin thread number
  ended <- try . atomically $ do
    again <- unsafeIOToSTM (readIORef ran)
    when again (throwSTM Ended)
    unsafeIOToSTM (writeIORef ran True)
    forM_ [0 .. steps - 1] (runStep lists objects thread number)
    when (aborts /= 0) (throwSTM Ended)
    unsafeIOToSTM (noteTryCommit thread)
  case ended of
    Left Ended -> noteAbort thread
    Right () -> noteCommit thread

runProcess :: Bool -> Objects -> CInt -> IO ()
runProcess lists objects thread = do
  count <- plannedTransactions thread
  let from number = unless (number >= count) $ do
        over <- isOver
        unless (over /= 0) $ do
          runTransaction lists objects thread number
          from (number + 1)
  from 0

main :: IO ()
main = do
  [plan, history, seconds] <- getArgs
  withCString plan $ \p -> withCString history $ \h -> withCString seconds (openRecording p h)
  threads <- plannedThreads
  setNumCapabilities (fromIntegral threads)
  count <- plannedObjects
  lists <- (/= 0) <$> plannedLists
  cells <- forM [1 .. count] (\_ -> newTVarIO ([0 | not lists]))
  let objects = listArray (0, fromIntegral count - 1) cells
  ends <- forM [0 .. threads - 1] $ \thread -> do
    end <- newEmptyMVar
    _ <- forkOn (fromIntegral thread) (runProcess lists objects thread >> putMVar end ())
    return end
  mapM_ takeMVar ends
