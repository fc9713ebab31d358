# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # MACHINE_EN in Japanese; see there.
      MACHINE_JA = {
        ceiling: "%<vcpus>s、%<processes>s：CPU 使用率は %<range>s を超えません。オートスケールの目標値 %<target>s に達することはありません。%<idle>s。",
        ceiling_on: "ホスト %<host>s：%<text>s",
        vcpus_one: "vCPU 1 個", vcpus_many: "vCPU %<count>s 個",
        processes_one: "1 プロセス", processes_many: "%<count>s プロセス",
        idle_one: "少なくとも vCPU 1 個は常に空いています", idle_many: "少なくとも vCPU %<count>s 個分は常に空いています",

        processes: "プロセス", process: "プロセス", cpu_of_core: "CPU %", cpu_of_all: "全体比", cpu_waiting: "待ち %",
        busy: "稼働", pool_max: "最大", group: "%<name>s：%<count>s", unknown_server: "（サーバーなし）",
        processes_ended: "（終了したもの：%<count>s）",
        processes_note: "CPU %：CPU 1 個に対する割合。全体比：コンテナの vCPU に対する割合。待ち %：スレッドが CPU を必要とした時間のうち、" \
          "CPU を待った割合。メモリ：rss は共有ページをプロセスごとに数え、pss は全体で 1 回だけ数え、uss はそのプロセスだけのものです。",
        process_waiting: "GVL 待ち", process_gc: "GC 時間 %", process_jit: "JIT の状態", process_age: "経過",
        process_jit_off: "無効", process_jit_warm: "ウォームアップ済み", process_jit_cold: "ウォームアップ中", process_jit_full: "上限到達", process_jit_works: "効果あり", process_jit_idle: "効果なし",
        workers_note: "GVL 待ち：GVL を待っていたスレッド数の平均。GC 時間 %：GC に使われた時間の割合。JIT：「ウォームアップ済み」は新しいコンパイルがほぼないこと、「上限到達」はこれ以上コンパイルされないこと、「効果あり」は起動時のテストでコンパイル済みのコードが実行されたこと。経過：計測の開始から。",
        container_note: "%<text>s。", also: "、",
        host: "ホスト %<name>s", process_of_host: "ホスト %<host>s、%<process>s",
        container: "ホスト %<host>s：%<vcpus>s、全プロセスでその %<cpu>s を使用",
        container_unseen: "ホスト %<host>s は %<vcpus>s",
        container_memory: "メモリは %<limit>s 中 %<used>s を使用", container_memory_unlimited: "メモリは %<used>s を使用（上限なし）",
        container_throttled: "CPU クォータによる停止は周期の %<share>s[[（合計 %<time>s）]]",

        pools: "処理を実行するスレッド", pool: "プール", pool_processes: "プロセス", pool_threads: "スレッド", pool_busy: "稼働",
        pool_busy_share: "稼働 %", pool_backlog: "待ち", pool_backlog_max: "待ち最大", pool_oldest: "最長の待ち",
        pools_note: "稼働：リクエストやジョブを処理していたスレッド数の、全期間を通した平均です。ほかの列は、各プロセスを 1 分に 1 回記録した値です。待ち：まだどのスレッドにも渡っていない処理の平均（サーバーが把握している場合）。待ち最大：その最大数。最長の待ち：そのうち最も長く待っていた時間。",

        pool_cpu: "これらのスレッドの CPU", pool_cpu_outside: "（処理以外）", pool_cpu_unknown: "（スレッドが不明なジョブ）",
        pool_cpu_note: "CPU %：処理が使った CPU 時間の、CPU 1 個に対する割合。全体比：コンテナの vCPU に対する割合。処理以外：これらのプロセスがそのほかに使った分（ジョブの取り出しと後処理、ほかのスレッド、VM）。",

        queues: "キューでの待ち時間、スループット、処理能力",
        queued_max: "キュー最大", capacity: "能力比",
        queues_note: "能力比：この種の処理のためのスレッドの時間のうち、これらの処理に使われた割合。",
        priorities_note: "Solid Queue と GoodJob は小さい番号から処理し、優先度のないジョブは 0 とみなします。",
        without_priority: "優先度がなく、これらの行に含まれないジョブ：%<count>s 件。",
        no_queue_request: "（リクエスト）", no_queue_job: "（キューのないジョブ）", no_queue_overflow: "（上限を超えたもの）",

        pairs: "どの処理がどの処理を待たせたか（推定）", pair: "待たせた側 -> 待った側", pair_about: "およそ", pair_least: "最小", pair_most: "最大",
        pair_stall: "GVL 待ち",
        pair_sentence: "%<victim>s の GVL 待ちのおよそ %<share>s は %<causer>s が原因です。",
        pair_sentence_self: "%<causer>s の GVL 待ちのおよそ %<share>s は自分自身が原因です。",
        pairs_note: "待った側の GVL 待ちに対する割合（%）。計測しているのは、それぞれが待たせた時間と待った時間です。組み合わせは 1 分（またはより長い区間）ごとの推定で、実際の値は最小と最大の間にあります。",
        pairs_unknown: "分かりません。どの組み合わせも最小と最大の幅が広く、推定してもそれぞれが引き起こした全体の割合を繰り返すだけになります。",
        pairs_left_out: "最小と最大の幅が広すぎて何も言えないため省いた組み合わせ：%<count>s 件。",

        redis: "Redis：%<server>s のコマンドの往復は %<rtt>s（中央値）。",
        doctor_redis: "Redis との往復は %<rtt>s ms です。",
        doctor_redis_slow: "Redis との往復に %<rtt>s ms かかります（Sidekiq の目安は 10 ms 未満）。各スレッドが取り出せるジョブは毎秒 %<jobs>s 件までで、ジョブの中の各コマンドにも同じ時間がかかります。",
        doctor_redis_slow_fix: "Redis を Sidekiq と同じゾーンで動かしてください。プロセスのスレッドが計算している場合、この時間には GVL 待ちが含まれます。" \
          "そのときは並行数を下げてください。",

        doctor_ceiling: "ホスト %<host>s には vCPU %<vcpus>s 個に対して Ruby プロセスが %<processes>s 個あります。CPU 使用率は %<range>s を超えません。",
        doctor_ceiling_fix: "プロセスを %<needed>s 個にするか、vCPU の少ないコンテナを使ってください。スレッドを増やしても変わりません。",
        doctor_autoscale_fires: "CPU アラーム（%<target>s）は発報できます：ホスト %<host>s の CPU 使用率は %<range>s に達します。",
        doctor_autoscale_unsure: "CPU アラーム（%<target>s）は発報しない可能性があります：ホスト %<host>s（vCPU %<vcpus>s 個、Ruby プロセス %<processes>s 個）の CPU 使用率は、リクエストやジョブが待っていても %<range>s までです。",
        doctor_autoscale_unsure_fix: "次に示す指標でスケールするか、プロセスを %<needed>s 個にしてください。",
        doctor_autoscale_never: "CPU アラーム（%<target>s）は発報しません：ホスト %<host>s（vCPU %<vcpus>s 個、Ruby プロセス %<processes>s 個）の CPU 使用率は、リクエストやジョブが待っていても最大 %<range>s です。",
        doctor_autoscale_never_fix: "次に示す指標でスケールするか、プロセスを %<needed>s 個にしてください。",
        doctor_autoscale_unknown: "CPU アラーム（%<target>s）が発報できるか分かりません：直近 1 時間のプロセスがストアにありません。",
        doctor_autoscale_unknown_fix: "アプリケーションとコレクターを 1 分間動かしてから、もう一度実行してください。",
        doctor_scale_on_queued: "スレッドを待つ時間でスケールしてください：キュー待ちの p95 が %<queued_ns>s を超えたとき（直近 1 時間の p95 は %<p95_ns>s）。",
        doctor_scale_on_busy: "稼働中のスレッド数でスケールしてください：直近 1 時間は %<threads>s 本中 %<busy>s 本でした。",
        doctor_scale_on_backlog: "待っている処理の数でスケールしてください：直近 1 時間は平均 %<backlog>s 件が待っていました。",
        doctor_scale_on_unknown: "負荷を表す指標が計測されていません。",
        doctor_scale_on_unknown_fix: "プロキシで X-Request-Start を付けてください。スレッドを待つ時間が、スケールに使うべき指標です。"
      }.freeze
    end
  end
end
