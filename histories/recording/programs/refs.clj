;; Records a history of Clojure's refs.
;;
;; A transaction that Clojure starts again by itself is ended instead: so its abort stands in the
;; history where it was, and the next begin before the memory begins. Each thread keeps its events
;; in a buffer of its own, which is appended to the file by one call, at the begin of a transaction,
;; before it asks to commit, and after its end.
(import '(java.io FileOutputStream) '(java.util.concurrent CyclicBarrier))
(set! *warn-on-reflection* true)

(def ended (ex-info "the transaction aborts" {}))

(defn numbers [line] (clojure.string/split line #" "))

(defn parsed-steps [words]
  (mapv (fn [[kind object value]]
          [(first kind) (Long/parseLong object) (Long/parseLong value)])
        (partition 3 words)))

(defn parsed [line]
  (let [[process number aborts _ & steps] (numbers line)]
    {:process (Long/parseLong process) :number number :aborts (= aborts "1")
     :steps (parsed-steps steps)}))

(defn flush-events [^FileOutputStream out ^StringBuilder events]
  (.write out (.getBytes (.toString events)))
  (.setLength events 0))

(defn note [^StringBuilder events process kind more]
  (.append events (str "{\"type\":\"" kind "\",\"process\":" process more "}\n")))

(defn note-value [events process kind object value]
  (note events process kind
        (str ",\"object\":" object ",\"value\":"
             (if (vector? value) (str "[" (clojure.string/join "," value) "]") value))))

(defn run-step [objects events process [kind object value]]
  (if (= kind \p)
    (Thread/sleep 0 1)
    (let [cell (nth objects object)]
      (case kind
        \r (note-value events process "read" object @cell)
        \w (do (ref-set cell value) (note-value events process "write" object value))
        \a (do (alter cell conj value) (note-value events process "append" object value))))))

(defn run-transaction [objects out events {:keys [process number aborts steps]}]
  (note events process "begin" (str ",\"transaction\":\"" process "." number "\""))
  (flush-events out events)
  (let [ran (volatile! false)
        committed
        (try
          (dosync
           (when @ran (throw ended))
           (vreset! ran true)
           (doseq [step steps] (run-step objects events process step))
           (when aborts (throw ended))
           (note events process "try-commit" "")
           (flush-events out events))
          true
          (catch clojure.lang.ExceptionInfo error
            (when-not (identical? error ended) (throw error))
            false))]
    (note events process (if committed "commit" "abort") "")
    (flush-events out events)))

(let [[plan history seconds] *command-line-args*
      [head & lines] (clojure.string/split-lines (slurp plan))
      [_ threads _ objects _ lists] (numbers head)
      threads (Integer/parseInt threads)
      initial (if (= lists "1") [] 0)
      cells (vec (repeatedly (Long/parseLong objects) #(ref initial)))
      plans (group-by :process (map parsed lines))
      seconds (Double/parseDouble seconds)
      start (CyclicBarrier. threads)
      end (when (pos? seconds) (+ (System/nanoTime) (long (* seconds 1e9))))
      over? #(and end (> (System/nanoTime) end))
      work (fn [process]
             (with-open [out (FileOutputStream. ^String history true)]
               (let [events (StringBuilder.)]
                 (.await start)
                 (doseq [planned (get plans process) :while (not (over?))]
                   (run-transaction cells out events planned)))))]
  (doseq [running (mapv #(future (work %)) (range threads))] @running)
  (shutdown-agents))
