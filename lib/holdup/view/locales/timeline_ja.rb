# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # TIMELINE_EN in Japanese; see there.
      TIMELINE_JA = {
        capture_waiting: "%<seconds>s 秒間のキャプチャ中（残り %<count>s プロセス）",
        capture_silent: "プロセス %<pid>s はキャプチャを開始しませんでした。直前にキャプチャしたか、空きメモリがないか、キャプチャに対応していない Holdup です。詳細は `holdup doctor` を参照してください",
        capture_cut: "プロセス %<pid>s のキャプチャが終了していません（強制終了または停止）。それまでの記録は保存しました",
        capture_uncaught: "%<seconds>s 秒間に条件に合う処理はありませんでした。最後の部分だけを保存しました",
        capture_kept: "%<process>s：%<length>s の間に %<events>s イベント、CPU コスト %<cost>s（%<share>s）%<lost>s",
        capture_lost: "、古い %<count>s 件は上書き", capture_next: "次：holdup timeline %<path>s",
        kept_title: "保存されたキャプチャ（新しい順）：%<count>s 件", kept_caught: "%<unit>s が %<wall>s のうち %<stalled>s GVL を待ちました%<holder>s。", kept_holder: "（うち %<held>s は %<holder>s が保持）",
        kept_events: "%<process>s のイベント %<events>s 個。", kept_by_rule: "条件：%<rule>s", kept_asked: "コマンドで取得。", kept_asked_until: "コマンドで取得（--until）：%<rule>s", kept_dashboard: "ダッシュボードから取得。", kept_broken: "破損しています。",
        kept_more: "`holdup timeline 番号` でその内容を、`--unit caught` を付けると捕らえた処理の経過を表示します。",
        kept_none: "保存されたキャプチャはありません。`holdup capture` で取得できます。`config.capture = {stall: \"50 ms\"}` を設定すると、プロセスが自動で取得します。",
        timeline_by_rule: "%<unit>s が %<wall>s のうち %<stalled>s GVL を待ったため保存されました（%<rule>s）。",
        timeline_title: "%<process>s、%<at>s：%<length>s間、%<threads>s スレッドの %<events>s イベント、処理 %<units>s 件",
        timeline_cost: "キャプチャのコストは CPU %<cost>s（時間の %<share>s）です。", timeline_open: "キャプチャの終わりがありません。プロセスが強制終了したか、まだ続いています。",
        timeline_lost: "古い %<count>s イベントは上書きされました。残った範囲だけを表示します。",
        timeline_nothing: "GVL を待ったスレッドも、処理もありませんでした。",
        timeline_units: "最も長く待った処理", timeline_unit: "処理", timeline_id: "番号", timeline_wall: "経過", timeline_ran: "実行", timeline_stalled: "GVL 待ち",
        timeline_idle: "アイドル", timeline_for: "主な待ち先", timeline_more: "`--unit 番号` でその 1 件の、`--unit slowest` で最も遅い 1 件の経過を表示します。",
        timeline_holders: "待ち先（GVL の保持者）", timeline_holder: "保持者", timeline_caused: "待たせた", timeline_share: "割合", timeline_waits: "回数",
        timeline_held: "保持", timeline_longest: "最長", timeline_handoff: "(受け渡し：保持者なし)", timeline_thread: "スレッド %<name>s", timeline_unnamed: "(名前なし)", timeline_unfinished: "(範囲内に終わらない処理)",
        timeline_story: "処理 %<id>s：%<name>s（%<thread>s、%<at>s）：%<wall>s", timeline_split: "実行 %<running>s、GVL 待ち %<stalled>s、アイドル %<idle>s（%<kinds>s）。ほかを待たせた時間 %<caused>s",
        timeline_kind_io: "I/O", timeline_kind_lock: "ロック", timeline_kind_sleep: "sleep またはタイムアウト付きの待ち", timeline_kind_none: "範囲の終わりまで",
        timeline_step_running: "実行", timeline_step_stalled: "GVL 待ち：%<holders>s", timeline_step_idle: "アイドル：%<kind>s", timeline_step_unknown: "不明", timeline_step_absent: "スレッドは終了していた",
        timeline_step_preempted: "GVL を失い、待ち：%<holders>s",
        timeline_step_together: "短い区間 %<count>s 個：実行 %<running>s、GVL 待ち %<stalled>s、アイドル %<idle>s", timeline_part: "%<who>s（%<thread>s）", timeline_nobody: "受け渡し %<time>s",
        timeline_fibers: "このスレッドでは Fiber が交代で動きます。ほかの Fiber の区間も含まれます。",
        timeline_trace: "トレース %<trace>s",
        timeline_methods: "待ちの間に実行されていたメソッド", timeline_method: "メソッド", timeline_in: "処理", timeline_frame: "%<method>s（%<place>s）",
        timeline_no_unit: "(処理の外)", timeline_no_stack: "(スタックなし)", timeline_other_methods: "(ほか %<count>s 件)",
        timeline_stacks: "待ち時間全体の %<share>s はメソッドが分かっています。スタック %<count>s 個の取得に、アプリケーションのスレッドで %<cost>s、監視用のスレッドで %<watch>s かかりました。",
        timeline_sampler: "実行中のスレッドは %<name>s でサンプリングしました。",
        timeline_meanwhile: "GVL 待ちの %<share>s は、その間に実行されていたメソッドが分かっています：%<methods>s。", timeline_held_in: "%<held>s（うち %<share>s は %<frame>s）", timeline_waited_in: "。自分は %<frame>s",
        timeline_answer_stalled: "%<name>s は %<wall>s のうち %<spent>s が GVL 待ちで、うち %<held>s（%<share>s）は %<who>s を待っていました%<ran>s%<gc>s。",
        timeline_answer_running: "%<name>s は %<wall>s のうち %<spent>s、自分で GVL を保持していました%<ran>s。",
        timeline_answer_io: "%<name>s は %<wall>s のうち %<spent>s が I/O 待ちでした。", timeline_answer_lock: "%<name>s は %<wall>s のうち %<spent>s がロック待ちでした。",
        timeline_answer_sleep: "%<name>s は %<wall>s のうち %<spent>s が sleep またはタイムアウト付きの待ちでした。",
        timeline_answer_pool: "%<name>s は %<wall>s のうち %<spent>s がコネクションプールの空き待ちでした。",
        timeline_answer_all_stalled: "スレッドの GVL 待ちは合計 %<spent>s で、うち %<held>s（%<share>s）は %<who>s を待っていました%<ran>s%<gc>s。",
        timeline_answer_all_lock: "処理のロック待ちは合計 %<spent>s です。スレッドの GVL 待ちは %<stalled>s です。",
        timeline_answer_all_pool: "処理のコネクションプールの空き待ちは合計 %<spent>s です。スレッドの GVL 待ちは %<stalled>s です。",
        timeline_answer_nobody: "受け渡し（保持者なし）", timeline_answer_ran: "。その %<share>s は %<frame>s の実行中", timeline_answer_collecting: "。その %<time>s は GC の時間", timeline_collecting: "（うち GC %<time>s）",
        timeline_long_hold: "長い保持：%<thread>s が GVL を %<ns>s 続けて保持しました（%<parts>s）。その間、ほかの処理は %<waited_ns>s 待ちました。%<cause>sほかを待たせた 150 ms 以上の保持は %<count>s 回あり、これが最も長く待たせました。",
        timeline_hold_unit: "うち %<share>s は %<who>s", timeline_hold_outside: "うち %<share>s はリクエストやジョブの外", timeline_hold_ran: "、%<share>s は %<frame>s",
        timeline_hold_late: "これを最も長く待ったスレッドでも %<wait_ns>s で、タイムスライス（設定がなければ 100 ms）程度です。Ruby は、ほかのスレッドが待つ間だけタイムスライスを数えるため、C のコードや CPU 不足を示すものではありません。",
        timeline_hold_ruby: "動いていたのは Ruby のコードです（スタックを %<taken>s 回取得、間隔は最長 %<silent_ns>s）。Ruby のコードがこれほど長く保持するのは、タイムスライスが長い場合（RUBY_THREAD_TIMESLICE、高い優先度）、" \
          "割り込みをまれにしか確認しない呼び出しがある場合、CPU に空きがない場合です。どれかはキャプチャからは分かりません。",
        timeline_hold_native: "サンプラーによると、その %<native_share>s で C のコードが動いていました。GVL を放さない C のコードは、タイムスライスでは中断されません。",
        timeline_hold_silent: "%<silent_ns>s の間、スタックを取得できませんでした。GVL を放さない C のコードが動いていたか、CPU が割り当てられていませんでした。どちらかはキャプチャからは分かりません（CPU 不足は `holdup report` の starved に現れます）。",
        timeline_hold_unseen: "このスレッドのスタックは取得できないため、原因は不明です（GVL を放さない C のコード、長いタイムスライス、CPU 不足のいずれか）。",
        timeline_gc_pause: "GC による停止：10 ms 以上の GC が %<count>s 回、最長 %<ns>s（%<thread>s）。その間、ほかの処理は合計 %<waited_ns>s 待ちました。",
        timeline_convoy: "コンボイ：処理 %<id>s（%<who>s）は GVL を %<count>s 回わずかな時間だけ手放し、再び取得するまでに %<waited_ns>s 待ちました。同様の処理は %<units>s 件です。",
        timeline_lock_queue: "ロックの行列：同時に最大 %<count>s 件の処理がロックを待ちました（%<waits>s 回、合計 %<waited_ns>s）。",
        timeline_kind_pool: "コネクションプールの空き待ち",
        timeline_pool_wait: "プールの空き待ち：リクエストやジョブがコネクションプールの空きを 10 ms 以上待ったのは %<waits>s 回、合計 %<waited_ns>s、同時に最大 %<count>s 件です。これは GVL 待ちではありません。考えられる原因は、コネクションプールが同時実行数より小さいか、接続が長く占有されていることです。",
        timeline_pass_storm: "Thread.pass の多発：%<thread>s は、ほかが待っている間に、タイムスライスが終わるよりずっと早く GVL を %<count>s 回手放しました（ループ内の Thread.pass などで起こります。うち %<share>s は %<who>s）。"
      }.freeze
    end
  end
end
