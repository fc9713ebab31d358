# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # The same in Japanese.
      PAGES_JA = {
        language_en: "English", language_ja: "日本語", languages: "言語", themes: "配色", theme_auto: "自動", theme_light: "ライト", theme_dark: "ダーク",
        skip: "本文へ移動", menu: "ページ", menu_open: "メニュー", title_message: "表示できません",
        title_overview: "概要", title_endpoints: "エンドポイント", title_jobs: "ジョブ", title_endpoint: "エンドポイントまたはジョブ", title_blame: "原因と被害",
        title_processes: "プロセス", title_advice: "アドバイス", title_calculator: "試算", title_compare: "比較", title_jit: "JIT", title_health: "稼働状況",

        span_label: "期間と条件", span_since: "開始", span_until: "終了", span_app: "アプリケーション", span_name: "名前", span_least: "最小件数", span_kind: "種類", any: "すべて", show: "表示",
        span_more: "条件", span_other: "期間", span_15m: "15分", span_1h: "1時間", span_6h: "6時間", span_24h: "24時間", span_7d: "7日", span_30d: "30日",
        table_region: "%<title>s（横にスクロールできます）",
        behind: "%<time>s（%<ago>s前）以降の計測値がありません。",
        last_data: "最後のデータ：%<span>s。", last_data_open: "表示する",
        unmatched_kind: "この期間に%<asked>sは計測されていません。", unmatched_queue: "この期間にキュー「%<asked>s」のジョブはありません。",
        unmatched_name: "この期間に「%<asked>s」という名前のリクエストやジョブはありません。", unmatched_threads: "この期間に %<asked>s スレッドで動いたものはありません。",
        unmatched_nearest: "次のいずれかでしょうか：%<names>s", unmatched_known: "この期間にあったもの：%<names>s",
        newest: "最新の計測値は %<age>s 前のものです。",
        newest_waiting: "最新の計測値は %<age>s 前のものです。その後に終了し、コレクターの次の回を待っているリクエストとジョブ：%<count>s 件。",
        empty_next: "対応しているサーバーでアプリケーションが動いていますか。計測の開始から 1 分ほどかかります。上で期間を長くするか、「稼働状況」で足りないものを確認してください。",
        exports: "このページの出力", export_json: "JSON 形式", export_csv: "CSV 形式", export_md: "Markdown 形式",

        units_note: "待った：自身の GVL 待ち。待たせた：GVL を保持している間に、ほかを待たせた時間。1件あたり：1 件の GVL 待ち。取得1回：GVL の取得 1 回あたりの待ち（取得：1 件あたりの取得回数）。保持最大：最長の保持。キューp95：スレッドに渡るまでの時間。",
        meaning: "意味", sufferers: "最も長く待った処理", all_blame: "すべての原因と被害", all_endpoints: "すべて表示", stands_out: "目立つ点", jit_findings: "JIT について見つかったこと",
        of_time: "時間比", rate_column: "毎秒", p50: "p50", p95: "p95", p99: "p99", more_rows_here: "…ほか %<count>s 件。limit を大きくすると表示されます（アドレスでは limit=500、コマンドでは --limit）。",
        each_of_them: "一覧", spread: "経過時間の分布", stalled_by: "これを待たせたもの", stalls: "これが待たせたもの",
        no_samples: "この期間のプロセスの記録はありません。コレクターは 1 分ごとに 1 回記録し、48 時間保存します。",
        ceiling_fine: "%<vcpus>s、%<processes>s：CPU 使用率は %<range>s まで上がります。",

        compare_with: "比較する対象：この期間と以前の期間、または期間内の 2 つの設定、アーム、リビジョン", field_base_since: "以前の期間の開始", field_base_until: "以前の期間の終了",
        chosen_for_you: "最後の 2 つ",
        nothing_to_compare: "この期間には、比較できる 2 つの設定がありません。期間を長くするか、以前の期間を指定してください。",

        field_io: "処理に占める I/O の割合", field_running: "または：GVL の保持時間", field_idle: "I/O の待ち時間", field_acquisitions: "GVL の取得回数", calculate_button: "計算する", by_threads: "スレッド数ごと",

        what_if_title: "設定や負荷が違っていたら？", what_if_button: "リプレイする", field_if_load: "負荷（倍率）", field_if_vcpus: "1 ホストの vCPU 数", field_if_threads: "1 プロセスのスレッド数",
        field_if_processes: "1 ホストのプロセス数", field_if_slice: "タイムスライス", limits_title: "どの設定も超えられない上限", limit_vcpus: "1 ホストの vCPU 数", limit_memory: "1 ホストのメモリ",
        limit_pool: "1 プロセスのコネクションプール", limit_connections: "データベース接続の総数", limit_hosts: "ホスト数",

        trace: "トレース",
        slowest_units: "最も遅い処理（1 件ずつ）", started: "開始時刻", in_flight: "同時実行",
        no_singles: "この期間に 1 件ずつ保存された処理はありません。コレクターは 10 分ごとに 900 件までのサンプルを 14 日間保存します。",
        no_singles_seen: "この期間から等間隔に選んだ 10 分間（%<all>s 個のうち %<read>s 個）に、個別に残っているものはありません。期間を短くするとすべてを調べます。",
        singles_part: "この期間から等間隔に選んだ 10 分間（%<all>s 個のうち %<read>s 個）を調べました。期間を短くするとすべてを調べます。",
        singles_note: "%<span>s に 1 件ずつ保存された %<count>s 件（約 %<units>s 件からのサンプル）のうち、最も遅い処理です。もっと遅い処理があった可能性もあります。同時実行：実行中に同じプロセスにあった処理の平均数（自身を含む）。",
        changed_when: "変更の履歴", changed_since: "時刻", changed_what: "変更内容", deployed: "デプロイ",
        no_jit_samples: "この期間には、JIT の状態の記録がありません。コレクターは 1 分ごとに 1 回記録し、48 時間保存します。",
        life_lead: "%<all>s 個のプロセスのうち %<on>s 個で JIT が有効です。", life_column: "種類", life_by: "有効にしたもの", life_for: "有効な時間", life_warm: "ウォームアップ", life_effective: "効果",
        life_memory: "メモリ", life_full: "上限到達", life_thrown: "破棄（回）", yes: "はい", no: "いいえ", not_known: "不明", server: "サーバー",
        life_note: "ウォームアップ：有効にしてから、新しいコンパイルがほぼなくなるまでの時間。効果：起動時のテストでコンパイル済みのコードが実行されたか。メモリ：JIT によって増えたメモリ。上限到達：これ以上コンパイルされない。破棄：無効になったコンパイル済みコードの回数。",
        store_title: "ストア", store_location: "場所", store_bytes: "サイズ", store_series: "名前の数", store_schema: "スキーマ", store_oldest_s: "最も古い計測値", store_newest_s: "最も新しい計測値", store_lag: "現在からの遅れ",
        own_title: "直近 1 時間に Holdup 自身が使ったリソース", own_held_share: "Holdup のスレッドが GVL を保持した割合（プロセスの時間比）", own_caused_ns: "その間にほかの処理が待った時間の合計",
        own_collector_cpu_share: "コレクターの CPU（1 コアに対する割合）", own_collector_bytes: "コレクターのメモリ", own_segment_bytes: "セグメントのメモリ",
        own_note: "計測によって 1 件ごとに増える時間は、その処理自身の時間に含まれ、区別できません。内容は docs/overhead.md に説明があり、`bin/bench` で計測できます。",
        segments_title: "このホストで計測中のプロセス", segment_alive: "動作中", segment_last: "最後の更新から", segment_requests: "リクエスト", segment_drops: "記録できず",
        segments_note: "記録できず：名前の上限を超えた処理、破棄された処理、空きがなかった処理、Holdup 自身の失敗の合計。",

        refused_closed: "本番環境では、閲覧できる人を設定するまでダッシュボードを開けません。config.web_auth（または `HOLDUP_WEB_AUTH=user:password`）を設定してください。手前に独自の認証がある場合は :none で開きます。docs/dashboard.md を参照してください。",
        refused_credentials: "config.web_auth のユーザー名とパスワードが必要です。",
        refused_person: "config.web_auth の設定により、閲覧が許可されていません。",
        refused_host: "このホスト名ではアクセスできません。`holdup web` が表示したアドレスで開いてください。",
        refused_site: "他のサイトのページからは送信できません。",
        refused_method: "ダッシュボードは表示専用です。GET と HEAD だけを受け付けます。",
        wait_advice: "記録を別の設定でリプレイしています。終わるとアドバイスがここに表示されます。",
        wait_compare: "2 つを比較しています。終わると結果がここに表示されます。",
        wait_progress: "進捗", wait_refresh: "今すぐ確認する", wait_ready: "ページの表示が終わりました。",
        step_reading: "記録を読み込んでいます。", step_comparing: "両方の記録を読み込み、信頼区間を計算しています。",
        step_counting: "記録を確認しています（%<units>s 件）。",
        step_replaying: "記録（%<units>s 件）を %<settings>s 通りの設定でリプレイしています。",
        wait_first: "開始から %<elapsed>s。かかる時間は記録によりますが、多くは 5〜20 秒です。",
        wait_again: "開始から %<elapsed>s。前回は %<expected>sかかりました。",
        wait_ahead: "順番を待っています。先に計算するものが %<ahead>s 件あります。", wait_rest: "残りは約 %<rest>sです。",
        wait_full: "順番を待っている計算が多すぎるため、まだ始めていません。このページは自動的にもう一度試します。",
        refused_nowhere: "そのページはありません。上のメニューにすべてのページがあります。",
        refused_question: "アドレスの指定に誤りがあります。", refused_now: "今は表示できません。",
        refused_failure: "ダッシュボードでエラーが発生しました（%<error>s）。アプリケーションに影響はありません。詳細はログを確認し、ご報告ください。"
      }.freeze
    end
  end
end
