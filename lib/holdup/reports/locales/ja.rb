# frozen_string_literal: true

module Holdup
  module Reports
    module Locales
      # The states keep their English names, which are the same in C, SQL, the interfaces and the documentation.
      JA = {
        title: "Holdup レポート",
        span: "%<from>s 〜 %<to>s %<zone>s",
        kind_request: "リクエスト", kind_job: "ジョブ", kind_unit: "処理",
        volume: "%<units>s %<count>s 件（%<measured>s 間、毎秒 %<rate>s 件）、エラー %<errors>s 件（%<error_share>s）",
        costs: "1 件あたりの GVL 待ち（stalled）%<stall>s、GVL の取得 %<acquisitions>s 回（1 回あたりの待ち %<acquisition>s）、" \
          "GC %<gc>s。最長の保持は %<hold>s",
        costs_in_one_hold: "1 件あたりの GVL 待ち（stalled）%<stall>s（大半は GVL を取り直さずに実行）、GC %<gc>s。最長の保持は %<hold>s",

        verdict_no_data: "この期間に計測された%<units>sはありません。`holdup doctor` で何が足りないか確認してください。",
        verdict_one_cause: "%<cause>s（全体の %<count_share>s）が、スレッドの GVL 待ち時間の %<share>s を引き起こしています。" \
          "%<units>sは時間の %<stalled_share>s を GVL 待ちに費やしました。",
        verdict_account_cause: "リクエストやジョブの外で動くスレッド「%<cause>s」が、GVL 待ち時間の %<share>s を引き起こしています。" \
          "%<units>sは時間の %<stalled_share>s を GVL 待ちに費やしました。",
        verdict_spread: "%<units>sは時間の %<stalled_share>s を GVL 待ちに費やしましたが、単独の原因はありません。" \
          "最大は %<cause>s の %<share>s です。",
        verdict_handoff: "%<units>sは時間の %<stalled_share>s を GVL 待ちに費やし、その %<share>s は誰も GVL を保持していない間の待ちでした。" \
          "その間 GVL はスレッド間で受け渡されていました。考えられる原因は、ごく短い保持の繰り返しか、起床するスレッドのための空き CPU の不足です。",
        verdict_starved: "%<units>sは時間の %<share>s の間、GVL を持ちながら CPU を使えませんでした。考えられる原因は、CPU より多いプロセス、" \
          "CPU 制限、ディスクからのページ読み込み、GVL を持ったままブロックする C コードです。",
        verdict_lock: "問題は GVL ではありません。%<units>sは時間の %<share>s をロック（Mutex、Queue、条件変数）の待ちに、" \
          "%<stalled_share>s を GVL 待ちに費やしました。",
        verdict_sleep: "問題は GVL ではありません。%<units>sは時間の %<share>s を停止（sleep、コネクションプールなどの期限付きの待ち）に、" \
          "%<stalled_share>s を GVL 待ちに費やしました。",
        verdict_native: "問題は GVL ではありません。%<units>sは時間の %<share>s を GVL なしのネイティブコードの計算に、" \
          "%<stalled_share>s を GVL 待ちに費やしました。必要なのはスレッドではなく CPU です。",
        verdict_io: "%<units>sは主に I/O を待っており（時間の %<share>s）、GVL 待ちはわずかです（%<stalled_share>s）。",
        verdict_cpu: "%<units>sは主に計算しており（時間の %<share>s が CPU 上）、GVL 待ちはわずかです（%<stalled_share>s）。",
        verdict_calm: "%<units>sの GVL 待ちはわずかで（時間の %<stalled_share>s）、ほかに目立つ待ちもありません。",

        remark_uncollected: "終了したリクエストとジョブ %<count>s 件はまだ集計に入っていません（コレクターが最後に読んだのは %<ago>s 前）。`holdup report --fresh` は次の回を待ちます。",
        remark_uncollected_first: "終了したリクエストとジョブ %<count>s 件はまだ集計に入っていません（コレクターの最初の回を待っています）。`holdup report --fresh` はそれを待ちます。",
        remark_uncollected_nobody: "終了したリクエストとジョブ %<count>s 件が集計に入っていません。コレクターが動いていません。`holdup report --fresh` で保存できます。",
        remark_few: "%<units>sは %<count>s 件だけです。高いパーセンタイルは個々の事例にすぎません。",
        remark_short: "計測値は 1 分単位で保存されます。このように短い期間では、毎秒の件数は下限です。",
        remark_applications: "%<count>s 個のアプリケーションの処理が混ざっています（%<apps>s）。合計はどのアプリケーションの値でもありません。--app NAME（画面では「アプリケーション」欄）で 1 つ選べます。",
        remark_settings: "%<count>s 種類の設定が混ざっています（デプロイ、スレッド数、JIT など）。--by setting で分けられます。",
        remark_starved: "GVL が保持されていた時間の %<share>s は、保持者が CPU 上にいませんでした。考えられる原因は、CPU の不足、CPU 制限、ディスクからのページ読み込み、GVL を持ったままブロックする C コードです。",
        remark_overflow: "名前の表が一杯になり、%<count>s 件が「(series beyond the limit)」に入りました。" \
          "series_limit を上げるか、ID を含まない名前にしてください。",
        more_rows: "…ほか %<count>s 件（--limit）",
        more_units: "…ほか %<count>s 件",
        more_threads: "…ほか %<count>s スレッド",

        states: "時間の使われ方",
        state: "状態", share: "割合", sum: "合計",
        state_cpu: "cpu", state_starved: "starved", state_stalled: "stalled", state_io: "io", state_lock: "lock",
        state_sleep: "sleep", state_native: "native",
        meaning_cpu: "GVL を持ち、CPU で実行中",
        meaning_starved: "GVL を持つが、CPU がない",
        meaning_stalled: "GVL 待ち（他が保持している）",
        meaning_io: "ソケット・ファイル・子プロセス待ち",
        meaning_lock: "Mutex・Queue・他スレッド待ち",
        meaning_sleep: "sleep または期限付きの待ち",
        meaning_native: "GVL なしで計算中",

        causes: "GVL 待ちの原因と被害",
        causes_note: "原因：これが GVL を保持している間に他が待った時間。被害：自分が待った時間。" \
          "どちらの列もプロセスの全スレッドを含み、合計は一致します。",
        caused: "原因", suffered: "被害", stall_per_unit: "1件あたり", stall_per_acquisition: "取得毎",
        account: "(スレッド) %<name>s",
        nested: "(入れ子の重複分)",
        handoff: "(受け渡し：保持者なし)",
        matrix: "原因（列）と被害（行）", matrix_victim: "被害側", matrix_rest: "その他と受け渡し", matrix_others: "その他",
        matrix_note: "行と列の合計は実測値です。その間の値は、組み合わせの表と同じ推定です。最後の行と、最後から 2 番目の列は残りの分です（推定できない組み合わせ「-」の分も含みます）。",
        makings: "引き起こした待ちの内訳", hold_mean: "保持の平均", hold_met: "出会う保持", made_of: "内訳", made_long: "長い保持", made_short: "短い保持",
        makings_note: "出会う保持：任意の時点に来たものが出会う保持の長さ（長いものほど出会いやすい）。10 ms 以上なら、長い保持を短くするか別の場所へ移す必要があります。" \
          "それ未満なら、短い保持が多いので、取得回数（クエリ、細切れの読み込み）を減らすのが有効です。",
        makings_handoff: "受け渡し（誰も GVL を保持していない間の待ち）：待ち全体の %<share>s、合計 %<sum>s、取得 1 回あたり %<each>s。",

        splits: "それぞれの時間の使われ方（経過時間に対する %）",
        latency: "経過時間とエラー",
        averages: "1 件あたりの平均",
        averages_note: "io %：running と idle に対する idle の割合（perfm と同じ計算）。idle は I/O だけではありません（上の状態を参照）。" \
          "io+st：全体に対する idle と stalled の割合。",
        holds: "1 件あたりのキュー待ちと GVL の使い方",
        distributions: "全体",
        slices: "区間ごとの平均",
        slices_of: "区間ごとの平均：%<name>s",
        slices_note: "各列はその列自身の値で区切られます。stalled の p90-99 は最も長く GVL を待った処理の値です。",
        band: "区間",
        amdahl: "io %% = %<share>s に対するアムダールの法則",
        amdahl_note: "正しくないことが知られています。1 つのリクエストを N スレッドに分ける式で、待ちを考慮しません。" \
          "よく使われる規則（増分が 5 %% 未満で止める）では %<threads>s スレッドになりますが、これで決めないでください。",
        threads: "スレッド", speed_up: "速度比", gain: "増分",
        settings: "設定",
        settings_shared: "共通：%<facts>s",

        by_name: "名前", by_setting: "設定", by_process: "プロセス", by_queue: "キュー", by_priority: "優先度",
        all: "全体", units: "件数", errors: "エラー", per_unit: "1件あたり", mean: "平均", max: "最大",
        histogram_wall: "経過", histogram_running: "running", histogram_stalled: "stalled", histogram_idle: "idle",
        histogram_queued: "キュー待ち", histogram_longest_hold: "最長保持",
        queued_unknown: "キュー待ちは不明です。プロキシが X-Request-Start を送っていません。設定方法は `holdup doctor` で確認できます。",
        average_wall: "経過", average_running: "running", average_idle: "idle", average_stalled: "stalled",
        average_gc: "gc", io_percent: "io %", io_stall_percent: "io+st",
        queued_p50: "待ちp50", queued_p95: "待ちp95", hold_p95: "保持p95", hold_max: "保持最大",
        acquisitions_each: "取得", preemptions_each: "横取り", cpu_each: "cpu"
      }.freeze
    end
  end
end
