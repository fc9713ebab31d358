# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # SWEEP_EN in Japanese; see there.
      SWEEP_JA = {
        sweep_title: "`%<command>s` の設定 %<settings>s 通り、%<rounds>s 巡、各 %<seconds>s 秒",
        sweep_best: "%<level>s では、%<best>s の方が %<base>s より良い結果です：%<percentile>s は %<before>s から %<after>s になりました（-%<gain>s）。同じ設定での 2 回の差は最大 %<noise>s です。",
        sweep_same: "%<base>s を維持：%<level>s では、偶然の範囲を超えて良い設定はありません。同じ設定での 2 回の差は %<percentile>s で最大 %<noise>s です。",
        sweep_early: "まだ判断できません：偶然の大きさを知るため、%<base>s を 2 回実行する必要があります。",
        sweep_predicted: "%<base>s の記録による予測の誤差は最大で、処理数/秒が %<throughput>s、待ちが応答時間の %<wait>s、%<share>s が %<percentile>s でした。",
        sweep_unpredicted: "予測はありません：リプレイできる %<base>s の記録がありませんでした。",
        sweep_rate: "%<level>s", sweep_level_open: "%<rate>s リクエスト/秒", sweep_level_closed: "%<tool>s の接続 %<rate>s 本",
        sweep_setting: "設定", sweep_served: "処理/秒", sweep_expected: "予測", sweep_off: "差", sweep_wait: "待ち", sweep_client: "クライアント",
        sweep_cpu: "CPU 時間", sweep_memory: "メモリ", sweep_warm_up: "ウォームアップ", sweep_errors: "失敗", sweep_rounds: "巡", sweep_most: "最大/秒",
        sweep_note: "プロセス数 x スレッド数。* 基準。各巡の中央値、時間は ms、クライアントの送信から。待ち：キュー待ち + GVL 待ち。クライアント：クライアントから見た %<percentile>s。",
        sweep_predicted_note: "予測：基準の記録からの予測。差：予測の誤差。待ちでは応答時間に対する %。",
        sweep_costs: "必要なリソース",
        sweep_costs_note: "CPU 時間：リクエストあたりの ms、サーバーの全プロセスと全スレッド。最大/秒：過負荷にならない最も高い頻度。",
        sweep_left: "中断：%<all>s ステップのうち %<left>s が残っています。`holdup lab sweep --resume %<path>s` で続けられます。",
        sweep_unsteady: "計測の開始時に安定していませんでした：%<names>s。--warm-up で時間を延ばしてください。",
        sweep_overrun: "最も低い頻度でも処理が追いつきませんでした：%<names>s。キューは最後まで伸び続け、その時間は計測の長さで決まります。--rate を下げるか、--ladder をより低い値から始めてください。",
        sweep_failed: "失敗したか、200 から 399 以外のステータスのリクエストがあります：%<names>s。",
        sweep_recorded: "記録されたリクエスト：エンドポイント %<endpoints>s 個、混雑した 1 分間に各ホストへ毎秒 %<rate>s 件。送信する頻度：%<level>s。",
        sweep_left_out: "GET のパスが記録にないため除外：%<names>s（記録されたリクエストの %<share>s、その CPU 時間の %<cpu>s）。",
        sweep_and_more: "%<names>s、ほか %<count>s 個",
        sweep_closed: "%<tool>s は閉ループです：応答を待ってから次を送るため、サーバーが遅いと送る数が減り、利用者が感じる遅さが隠れます（coordinated omission）。パーセンタイルはクライアントの値で、予測はありません。",
        sweep_paced: "%<tool>s は等間隔で送るので、実際の利用者のような集中は起きません。送った時刻はサーバーに伝わらないため、パーセンタイルは %<tool>s 自身の値（送るべきだった時刻から数えたもの）で、予測はしません。",
        sweep_file: "すべて %<path>s にあります。",
        sweep_progress: "ステップ %<number>s/%<of>s、%<arm>s：%<doing>s%<left>s",
        sweep_about: "、残り約 %<minutes>s 分",
        sweep_doing_boot: "起動中", sweep_doing_warm_up: "ウォームアップ中 %<seconds>s 秒", sweep_doing_measure: "%<rate>s で計測中 %<seconds>s 秒", sweep_doing_stop: "停止中",
        sweep_doing_count: "ジョブを %<seconds>s 秒間計数中",

        jitlab_title: "`%<command>s` の YJIT：%<settings>s 通り、%<seconds>s 秒ずつ %<rounds>s 巡",
        jitlab_best: "YJIT %<best>s：リクエストの CPU 時間は %<before>s から %<cpu>s になりました（巡ごとに %<low>s〜%<high>s）。オフでの 2 回の差は最大 %<noise>s です。メモリは %<memory>s 増えます。",
        jitlab_same: "差はありません：どの YJIT の使い方でも、リクエストの CPU 時間は偶然の範囲を超えて変わりません。オフでの 2 回の差は最大 %<noise>s です。",
        jitlab_early: "まだ判断できません：偶然の大きさを知るため、オフを 2 回実行する必要があります。",
        jitlab_misnamed: "アプリケーションか RUBYOPT が JIT を切り替えるため、名前と異なる JIT で動きました：%<names>s。",
        jitlab_saturated: "YJIT のメモリが上限に達し、それ以上コンパイルしませんでした：%<names>s。",
        jitlab_unsteady: "計測の開始時に安定していませんでした：%<names>s。--warm-up で時間を延ばしてください。",
        jitlab_took: "所要時間は %<elapsed>sです。", jitlab_rounds: "%<name>s（%<all>s 回中 %<count>s 回）",
        jitlab_left: "中断：%<all>s ステップのうち %<left>s が残っています。`holdup lab jit --resume %<path>s` で続けられます。",
        jitlab_speed: "%<level>s", jitlab_arm: "使い方", jitlab_cpu: "CPU 時間", jitlab_change: "変化", jitlab_range: "各巡", jitlab_served: "処理/秒",
        jitlab_speed_note: "CPU 時間：リクエストあたりの ms、サーバーの全プロセスと全スレッド。変化：オフに対する割合。各巡：その範囲（%）。パーセンタイルは ms、キュー待ちを含む、各巡の中央値。",
        jitlab_costs: "コスト", jitlab_memory: "メモリ", jitlab_code: "コード", jitlab_metadata: "メタデータ", jitlab_full: "上限到達", jitlab_cold: "起動直後", jitlab_warm: "ウォームアップ",
        jitlab_costs_note: "メモリ（PSS）：全プロセス。コードとメタデータ：最大のプロセス。上限到達：コードのためのメモリが残っていない。起動直後：ウォームアップの終わりに対する、最初のリクエストの CPU 時間。",
        jitlab_half: "メモリが足りないとどうなるかは `--mem-size %<mib>s`（起動後の YJIT が使った量の半分）で分かります。",
        jitlab_states: "信頼区間を付けて比べるには：%<command>s",
        jitlab_yes: "はい", jitlab_no: "いいえ",

        check_passed: "合格：%<count>s 個のエンドポイントのどれも悪くなっていません。",
        check_failed: "不合格：%<names>s が悪くなりました。",
        check_worse: "%<name>s：%<figures>s。",
        check_worse_acquisitions: "GVL の取得が %<before>s 回から %<after>s 回に増えました（N+1 のように、クエリや呼び出しが増えています）",
        check_worse_longest_hold_ns: "一度に GVL を保持する時間が %<before>s から %<after>s に延びました",
        check_worse_p95_ns: "p95 が %<before>s から %<after>s になりました",
        check_worse_by_others: "%<figures>s。GVL の取得と保持は以前のままなので、ほかのリクエストを待っているか、計算が増えています",
        check_added: "新しいため比較していません：%<names>s。",
        check_gone: "なくなったエンドポイント：%<names>s。",
        check_thin: "リクエストが %<fewest>s 件未満のため比較していません：%<names>s。",
        check_endpoint: "エンドポイント", check_acquisitions: "取得", check_longest_hold: "最長保持", check_was: "以前",
        check_note: "! 悪化。取得（1 リクエストで GVL を取得する回数）は数えた値で、増えてはいけません。最長保持（どちらも中央値）と、基準の負荷での p95 の予測は、%<tolerance>s まで増えてもかまいません。",
        check_written: "%<path>s に %<count>s 個のエンドポイントの値を書きました。"
      }.freeze
    end
  end
end
