# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # CALCULATE_EN in Japanese; see there.
      CALCULATE_JA = {
        calculate_title: "io が %<share>s を占める処理に対する、1 プロセスのスレッド数",
        calculate_answer: "%<threads>s スレッドで十分です。このとき GVL は時間の %<held>s で使われ、さらに 1 スレッド増やしても %<gain>s しか増えません。アムダールの法則と一般的な規則（増加が 5 %% 未満になったら止める）では %<amdahl>s スレッドになります。",
        calculate_answer_one: "1 スレッドで十分です。このとき GVL は時間の %<held>s で使われ、さらに 1 スレッド増やしても %<gain>s しか増えません。アムダールの法則と一般的な規則（増加が 5 %% 未満になったら止める）では %<amdahl>s スレッドになります。",
        calculate_answer_beyond: "GVL は限界になりません。試した中で最大の %<threads>s スレッドでも、GVL が使われるのは時間の %<held>s です。先に、メモリ、接続数、スレッドが待つ相手のいずれかが限界になります。アムダールの法則と一般的な規則（増加が 5 %% 未満になったら止める）では %<amdahl>s スレッドになります。",
        calculate_threads: "スレッド", calculate_speed_up: "速度比", calculate_gain: "増加", calculate_amdahl: "アムダール",
        calculate_amdahl_gain: "増加", calculate_bound: "上限", calculate_held: "GVL 使用", calculate_stall: "GVL 待ち",
        calculate_response: "経過",
        calculate_plot: "スループット：  %<closed>s 閉じたモデル   %<amdahl>s アムダールの法則   %<bound>s 誰も待たない場合の上限",
        calculate_why: "違いの理由：アムダールの法則は 1 つの処理の io を N 本のスレッドに分け、io から戻るたびにほかの全員が前に並んでいると仮定します。実際のスレッドは N 個の処理を重ねて実行するので、これは平均ではなく最悪の場合です。閉じたモデル（アーラン B 式）は、ランダムな保持時間に対して厳密で、実測との誤差は 1〜4 % です。",
        calculate_stall_rule: "GVL 待ちが 75 ms を下回るまでスレッドを減らす、という記事があります。しかし、利用者が感じるのは GVL 待ちだけではありません。スレッドを減らすと、同じ処理がキューで待つだけです。目標とするパーセンタイルの「キュー待ち + GVL 待ち」で判断してください。",
        calculate_stall_share: "増加：最後に加えた 1 スレッドによる増加分。GVL 待ち：処理自身の時間（実行とアイドルの合計）に対する %。",
        calculate_acquisitions: "%<threads>s スレッドでは、1 件あたりの GVL 待ちは %<stall>s、GVL の取得 %<acquisitions>s 回の 1 回あたりでは %<each>s です。クエリを減らせば取得回数が減り、同じスレッド数でも GVL 待ちが減ります。",
        calculate_limits: "この計算は、常に処理があるスレッド、各プロセスに十分な CPU、GVL 待ちを含まない io の割合を前提とします。割合には `holdup report` の idle を使ってください。APM の「io」には GVL 待ちが含まれます。",
        calculate_open_answer: "毎秒 %<rate>s 件（プロセス %<processes>s 個、vCPU %<vcpus>s 個）では、各プロセス %<threads>s スレッドで十分です。到着から終了まで平均 %<whole>s、そのうちキュー待ちが %<queued>s、GVL 待ちが %<stall>s です。",
        calculate_open_unserved: "毎秒 %<rate>s 件は、表のどのスレッド数でも処理しきれません（プロセス %<processes>s 個、vCPU %<vcpus>s 個、最大で毎秒 %<capacity>s 件）。キューは伸び続けます。",
        calculate_open_unlike: "これほどばらつく処理（cv2 %<cv2>s、2 までなら可）の待ち時間を表す式はなく、33〜64 %% 短く見積もってしまいます。記録を取って `holdup advise` を使ってください。1 件ずつリプレイします。",
        calculate_open_title: "毎秒 %<rate>s 件での平均", calculate_open_capacity: "最大/秒", calculate_open_held: "GVL 使用", calculate_open_queued: "キュー待ち",
        calculate_open_stall: "GVL 待ち", calculate_open_whole: "合計",
        calculate_open_note: "処理は互いに似ていて、ランダムに到着するものとします（フロー等価サーバー。その場合の誤差は 8〜13 %）。スレッドを減らしても待ちはなくならず、GVL 待ちからキュー待ちに移るだけです。パーセンタイルは分かりません。記録があれば `holdup advise` で分かります。"
      }.freeze
    end
  end
end
