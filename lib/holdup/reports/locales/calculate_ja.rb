# frozen_string_literal: true

module Holdup
  module Reports
    module Locales
      # CALCULATE_EN in Japanese; see there.
      CALCULATE_JA = {
        calculate_title: "io が %<share>s を占める処理に対する、1 プロセスのスレッド数",
        calculate_answer: "%<threads>s スレッドで十分です。そのとき GVL は時間の %<held>s で使われ、もう 1 スレッド増やしても %<gain>s しか増えません。" \
          "アムダールの法則と通常の規則（増加が 5 %% 未満で止める）では %<amdahl>s になります。",
        calculate_answer_one: "1 スレッドで十分です。そのとき GVL は時間の %<held>s で使われ、もう 1 スレッド増やしても %<gain>s しか増えません。" \
          "アムダールの法則と通常の規則（増加が 5 %% 未満で止める）では %<amdahl>s になります。",
        calculate_answer_beyond: "GVL は限界になりません。試す最大の %<threads>s スレッドでも、使われるのは時間の %<held>s です。メモリ、接続数、スレッドが待つ相手が先に限界になります。" \
          "アムダールの法則と通常の規則（増加が 5 %% 未満で止める）では %<amdahl>s になります。",
        calculate_threads: "スレッド", calculate_speed_up: "速度比", calculate_gain: "増加", calculate_amdahl: "アムダール",
        calculate_amdahl_gain: "増加", calculate_bound: "上限", calculate_held: "GVL 使用", calculate_stall: "ストール",
        calculate_response: "経過",
        calculate_plot: "スループット：  %<closed>s 閉モデル   %<amdahl>s アムダールの法則   %<bound>s 誰も待たない場合の上限",
        calculate_why: "違いの理由：アムダールの法則は 1 つの処理の io を N 本のスレッドに分け、io から戻るたびに他の全員が前に並んでいると" \
          "仮定します。実際のスレッドは重なり合う N 個の処理を実行するので、それは平均ではなく最悪の場合です。閉モデル（アーラン B 式）は" \
          "ランダムな保持時間に対して厳密で、実測との誤差は 1〜4 % です。",
        calculate_stall_rule: "ストールが 75 ms を下回るまでスレッドを減らす、という記事があります。しかし利用者が感じるのはストールだけでは" \
          "ありません。スレッドを減らすと同じ処理がキューで待つだけです。約束したパーセンタイルでの「キュー待ち + ストール」で判断してください。",
        calculate_stall_share: "増加：最後の 1 スレッドが増やす分。ストール：処理自身の時間（実行とアイドルの合計）に対する %。",
        calculate_acquisitions: "%<threads>s スレッドでは、処理 1 件のストールは %<stall>s、GVL の取得 %<acquisitions>s 回それぞれにつき %<each>s です。" \
          "クエリを減らせば取得回数が減り、同じスレッド数でもストールが減ります。",
        calculate_limits: "これは、常に仕事があるスレッド、各プロセスに十分な CPU、ストールを含まない io の割合に対するものです。" \
          "割合には `holdup report` の idle を使ってください。APM の「io」はストールを含みます。",
        calculate_open_answer: "毎秒 %<rate>s 件（プロセス %<processes>s、vCPU %<vcpus>s）では、各プロセス %<threads>s スレッドで十分です。到着から終了まで平均 %<whole>s、" \
          "そのうちキュー待ちが %<queued>s、ストールが %<stall>s です。",
        calculate_open_unserved: "毎秒 %<rate>s 件は、表のどのスレッド数でも処理しきれません（プロセス %<processes>s、vCPU %<vcpus>s、最大で毎秒 %<capacity>s 件）。キューは伸び続けます。",
        calculate_open_unlike: "これほどばらつく処理（cv2 %<cv2>s、2 までは可）の待ち時間を表す式はなく、33〜64 %% 短く出てしまいます。記録をとって `holdup advise` を" \
          "使ってください。1 件ずつ再生します。",
        calculate_open_title: "毎秒 %<rate>s 件での平均", calculate_open_capacity: "最大/秒", calculate_open_held: "GVL 使用", calculate_open_queued: "キュー待ち",
        calculate_open_stall: "ストール", calculate_open_whole: "合計",
        calculate_open_note: "処理は互いに似ていて、ばらばらに到着するものとします（流れ等価サーバー。その場合の誤差は 8〜13 %）。スレッドを減らしても待ちは消えず、ストールからキューへ" \
          "移るだけです。パーセンタイルは分かりません。記録があれば `holdup advise` が答えます。"
      }.freeze
    end
  end
end
