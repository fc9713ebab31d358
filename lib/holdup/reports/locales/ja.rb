# frozen_string_literal: true

module Holdup
  module Reports
    module Locales
      # The states keep their English names, which are the same in C, SQL, the interfaces and the documentation.
      JA = {
        title: "Holdup レポート",
        unit_s: "秒",
        unit_min: "分",
        unit_h: "時間",
        unit_d: "日",
        list_separator: "、",
        span: "%<from>s 〜 %<to>s %<zone>s",
        kind_request: "リクエスト", kind_job: "ジョブ", kind_unit: "処理",
        volume: "%<units>s %<count>s 件（%<measured>s間、毎秒 %<rate>s 件）、エラー %<errors>s 件（%<error_share>s）",
        costs: "1 件あたりの GVL 待ち（stalled）%<stall>s、GVL の取得 %<acquisitions>s 回（1 回あたりの待ち %<acquisition>s）、" \
          "GC %<gc>s。最長の保持は %<hold>s",
        costs_in_one_hold: "1 件あたりの GVL 待ち（stalled）%<stall>s（大半は GVL を取り直さずに実行）、GC %<gc>s。最長の保持は %<hold>s",

        verdict_no_data: "この期間に計測された%<units>sはありません。`holdup doctor` で何が足りないか確認してください。",
        verdict_one_cause: "%<cause>s（件数の %<count_share>s）が、スレッドの GVL 待ち時間の %<share>s を引き起こしています。%<units>sは経過時間の %<stalled_share>s を GVL 待ちに費やしました。",
        verdict_account_cause: "リクエストやジョブの外で動くスレッド「%<cause>s」が、GVL 待ち時間の %<share>s を引き起こしています。%<units>sは経過時間の %<stalled_share>s を GVL 待ちに費やしました。",
        verdict_spread: "%<units>sは経過時間の %<stalled_share>s を GVL 待ちに費やしましたが、特定の原因に偏ってはいません。最も多い %<cause>s でも %<share>s です。",
        verdict_handoff: "%<units>sは経過時間の %<stalled_share>s を GVL 待ちに費やし、その %<share>s は誰も GVL を保持していない間の待ちでした。その間 GVL はスレッド間で受け渡されていました。考えられる原因は、ごく短い保持の繰り返しか、再開するスレッドのための空き CPU の不足です。",
        verdict_starved: "%<units>sは経過時間の %<share>s の間、GVL を保持したまま CPU を割り当てられませんでした。考えられる原因は、CPU の数を超えるプロセス、CPU クォータによる制限、ディスクからのページ読み込み、GVL を保持したままブロックする C コードです。",
        verdict_lock: "GVL は問題ではありません。%<units>sは経過時間の %<share>s をロック（Mutex、Queue、条件変数）の待ちに、%<stalled_share>s を GVL 待ちに費やしました。",
        verdict_sleep: "GVL は問題ではありません。%<units>sは経過時間の %<share>s を sleep やタイムアウト付きの待ち（コネクションプールなど）に、%<stalled_share>s を GVL 待ちに費やしました。",
        verdict_native: "GVL は問題ではありません。%<units>sは経過時間の %<share>s を GVL を使わないネイティブコードの計算に、%<stalled_share>s を GVL 待ちに費やしました。必要なのはスレッドではなく CPU です。",
        verdict_io: "%<units>sは主に I/O を待っており（経過時間の %<share>s）、GVL 待ちはわずかです（%<stalled_share>s）。",
        verdict_cpu: "%<units>sは主に計算しており（経過時間の %<share>s が CPU 上）、GVL 待ちはわずかです（%<stalled_share>s）。",
        verdict_calm: "%<units>sの GVL 待ちはわずかで（経過時間の %<stalled_share>s）、ほかに目立つ待ちもありません。",

        remark_uncollected: "終了したリクエストとジョブ %<count>s 件はまだ集計に入っていません（コレクターが最後に読んだのは %<ago>s 前）。`holdup report --fresh` は次の回を待ちます。",
        remark_uncollected_first: "終了したリクエストとジョブ %<count>s 件はまだ集計に入っていません（コレクターの最初の回を待っています）。`holdup report --fresh` はそれを待ちます。",
        remark_uncollected_nobody: "終了したリクエストとジョブ %<count>s 件が集計に入っていません。コレクターが動いていません。`holdup report --fresh` で保存できます。",
        remark_few: "%<units>sは %<count>s 件しかありません。高いパーセンタイルは個々の処理の値にすぎません。",
        remark_short: "計測値は 1 分単位で保存されます。このように短い期間では、実際の毎秒の件数は表示より多い可能性があります。",
        remark_applications: "%<count>s 個のアプリケーションの処理が混ざっています（%<apps>s）。合計値はどのアプリケーションにも当てはまりません。--app NAME（画面では「アプリケーション」欄）で 1 つ選べます。",
        remark_settings: "%<count>s 種類の設定が混ざっています（デプロイ、スレッド数、JIT など）。`holdup report --by setting` で分けて表示できます。",
        remark_starved: "GVL を保持していた時間の %<share>s は、CPU が割り当てられていませんでした。考えられる原因は、CPU の不足、CPU クォータによる制限、ディスクからのページ読み込み、GVL を保持したままブロックする C コードです。",
        remark_overflow: "名前の表がいっぱいになり、%<count>s 件が「(series beyond the limit)」に入りました。series_limit を上げるか、ID を含まない名前にしてください。",
        more_rows: "…ほか %<count>s 件（--limit）",
        more_units: "…ほか %<count>s 件",
        more_threads: "…ほか %<count>s スレッド",

        states: "時間の使われ方",
        state: "状態", share: "割合", sum: "合計",
        state_cpu: "cpu", state_starved: "starved", state_stalled: "stalled", state_io: "io", state_lock: "lock",
        state_sleep: "sleep", state_native: "native",
        meaning_cpu: "GVL を保持し、CPU で実行中",
        meaning_starved: "GVL を保持しているが、CPU がない",
        meaning_stalled: "GVL 待ち（ほかが保持している）",
        meaning_io: "ソケット・ファイル・子プロセスを待っている",
        meaning_lock: "Mutex・Queue・ほかのスレッドを待っている",
        meaning_sleep: "sleep またはタイムアウト付きの待ち",
        meaning_native: "GVL を使わずに計算中",

        causes: "GVL 待ちの原因と被害",
        causes_note: "待たせた：これが GVL を保持している間に、ほかが待った時間。待った：自分が GVL を待った時間。どちらの列もプロセスの全スレッドを含み、合計は一致します。",
        caused: "待たせた", suffered: "待った", stall_per_unit: "1件あたり", stall_per_acquisition: "取得1回",
        account: "(スレッド) %<name>s",
        nested: "(入れ子による重複分)",
        handoff: "(受け渡し：保持者なし)",
        matrix: "待たせた側（列）と待った側（行）", matrix_victim: "待った側", matrix_rest: "その他と受け渡し", matrix_others: "その他",
        matrix_note: "行と列の合計は実測値です。内側の値は、組み合わせの表と同じ方法で推定しています。最後の行と、最後から 2 番目の列は残りの分です（推定できない組み合わせ「-」の分も含みます）。",
        makings: "待たせた時間の内訳", hold_mean: "保持の平均", hold_met: "保持（遭遇）", made_of: "内訳", made_long: "長い保持", made_short: "短い保持",
        makings_note: "保持（遭遇）：任意の時点に来た処理が遭遇する保持の長さ（長い保持ほど遭遇しやすい）。10 ms 以上なら、長い保持を短くするか別の場所へ移す必要があります。それ未満なら短い保持が多いので、取得回数（クエリ、細切れの読み込み）を減らすのが有効です。",
        makings_handoff: "受け渡し（誰も GVL を保持していない間の待ち）：待ち全体の %<share>s、合計 %<sum>s、取得 1 回あたり %<each>s。",

        splits: "それぞれの時間の使われ方（経過時間に対する %）",
        latency: "経過時間とエラー",
        averages: "1 件あたりの平均",
        averages_note: "io %：running と idle に対する idle の割合（perfm と同じ計算）。idle は I/O だけではありません（上の状態の表を参照）。io+st：全体に対する idle と stalled の割合。",
        holds: "1 件あたりのキュー待ちと GVL の使い方",
        distributions: "全体",
        slices: "区間ごとの平均",
        slices_of: "区間ごとの平均：%<name>s",
        slices_note: "各列はその列自身の値の順に区切っています。stalled の p90-99 は、GVL を最も長く待った処理の値です。",
        band: "区間",
        amdahl: "io %% = %<share>s に対するアムダールの法則",
        amdahl_note: "この場面には当てはまらないことが知られています。1 つのリクエストを N 本のスレッドに分ける式で、待ちを考慮しません。よく使われる規則（増分が 5 %% 未満になったら止める）では %<threads>s スレッドになりますが、この値で設定を決めないでください。",
        threads: "スレッド", speed_up: "速度比", gain: "増分",
        settings: "設定",
        settings_shared: "共通：%<facts>s",

        by_name: "名前", by_setting: "設定", by_process: "プロセス", by_queue: "キュー", by_priority: "優先度",
        all: "全体", units: "件数", errors: "エラー", per_unit: "1件あたり", mean: "平均", max: "最大",
        histogram_wall: "経過", histogram_running: "running", histogram_stalled: "stalled", histogram_idle: "idle",
        histogram_queued: "キュー待ち", histogram_longest_hold: "最長保持",
        queued_unknown: "キュー待ちの時間が分かりません。プロキシが X-Request-Start を送っていないためです。設定方法は `holdup doctor` で確認できます。",
        average_wall: "経過", average_running: "running", average_idle: "idle", average_stalled: "stalled",
        average_gc: "gc", io_percent: "io %", io_stall_percent: "io+st",
        queued_p50: "キューp50", queued_p95: "キューp95", hold_p95: "保持p95", hold_max: "保持最大",
        acquisitions_each: "取得", preemptions_each: "中断", cpu_each: "cpu"
      }.freeze
    end
  end
end
