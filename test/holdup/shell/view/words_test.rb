# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/used_keys"
require "tmpdir"

class Holdup::View::WordsTest < Minitest::Test
  def test_a_label_has_the_colon_of_the_language
    name = "a1b2c3: threads=5 note=a: b"
    assert_equal [name, "a1b2c3：threads=5 note=a: b"],
      %w[en ja].map { |language| Holdup::View::Words.new(language).setting_label(name) }
    assert_equal "revision 3f2: x", Holdup::View::Words.new("ja").setting_label("revision 3f2: x")
    assert_equal "A：B", Holdup::View::Words.new("ja").labelled("A", "B")
  end

  TABLES = Holdup::View::Words::LANGUAGES.transform_values { |table|
    table.to_h.select { |_, text| text.is_a?(String) }
  }
  # What a language says of itself, besides its sentences.
  FACTS = %i[kind_job kind_request kind_unit units_join_text].freeze
  # Sentences that no page shows: of features without a page, and by their prefixes those of others.
  TERMINAL_FEATURES = %r{/features/(?:lab|scaling|stores|top)/}
  TERMINAL = /\A(?:autopilot|experiment|screen)_/
  ONLY_IN_A_TERMINAL = %i[
    remark_uncollected remark_uncollected_first remark_uncollected_no_collector
    kept_more timeline_more timeline_screen_more whatif_more no_answer_no_slo no_answer_vcpus_unknown
    capture_chosen
  ].freeze
  OPTION = /(?<![\w-])--[a-z]/
  OTHER_OPTIONS = /--(?:yjit|zjit|shm-size)/
  SAME_IN_BOTH = /
    \Astate_|\Ahistogram_|\Aaverage_|\Alanguage_|\Ap\d+\z|_percent\z|\Acpu_each\z|\Atitle_jit\z|
    \Acalls_(?:gc|ruby)\z|\A(?:system_(?:sql|http|redis|memcached)|call_remote_(?:redis|memcached))\z|
    \Acall_library_|\Anotify_channel_(?:slack|teams|discord|pagerduty|rails_error)\z|
    \Aon_page_advice_query\z|\Amemory_at_most\z|
    \Alever_(?:how|sidekiq_\w+|solid_queue_\w+|puma_first_workers)\z
  /x

  def test_every_language_has_every_key
    assert_equal TABLES["en"].keys.sort, TABLES["ja"].keys.sort
    assert_equal FACTS, (Holdup::View::Words::LANGUAGES["ja"].keys - TABLES["ja"].keys).sort
  end

  def test_no_key_stands_in_two_files
    Holdup::View::LocaleFiles.all.each do |language, files|
      keys = files.flat_map { |file| File.read(file).scan(/^  "?(\w+)"?:/).flatten }
      assert_empty keys.tally.select { |_, count| count > 1 }.keys, language
    end
  end

  one_ruby def test_every_key_is_used
    used = UsedKeys.new(Dir[File.expand_path("../../../../lib/**/*.{rb,erb}", __dir__)])
    keys = TABLES["en"].keys.map { |key| key.to_s.delete_prefix(Holdup::View::Words::ON_PAGE).to_sym }
    assert_empty keys.reject { |key| TABLES["en"].key?(key) && used.include?(key) }
  end

  def test_every_language_takes_the_same_values
    TABLES["en"].each do |key, text|
      names = [text, TABLES["ja"][key]].map { |one| one.scan(/%\{\w+\}/).uniq.sort }
      assert_equal(*names, key)
    end
  end

  def test_japanese_is_translated
    same = TABLES["en"].select { |key, text| TABLES["ja"][key] == text }.keys
    assert_empty same.grep_v(SAME_IN_BOTH)
  end

  def test_a_page_says_it_without_options_of_commands
    terminal = Holdup::View::Words.new("en").call(:remark_settings, count: 2)
    page = Holdup::View::Words.new("en", page: true).call(:remark_settings, count: 2)
    assert_includes terminal, "holdup report --by setting"
    assert_includes page, "the Compare page"
  end

  # Options of commands are in sentences that only a terminal shows: of commands that have no page, and of
  # screens, which end in commands. Options of Ruby, Docker and others are what a reader has to change.
  def test_no_sentence_of_a_page_names_an_option
    files = Holdup::View::LocaleFiles.all.values.flatten.grep_v(TERMINAL_FEATURES)
    refute_empty files
    named = files.flat_map do |file|
      lines = File.readlines(file).grep(OPTION).reject { |line| line.match?(OTHER_OPTIONS) }
      keys = lines.map { |line| line[/\w+/] }.grep_v(TERMINAL).map(&:to_sym)
      keys.reject { |key| TABLES["en"].key?(:"#{Holdup::View::Words::ON_PAGE}#{key}") }
    end
    assert_empty named - ONLY_IN_A_TERMINAL
    own = TABLES.values.flat_map { |table| table.select { |key, _| key.start_with?("on_page_") }.values }
    assert_empty own.grep(OPTION)
  end

  # The host's locales and its load path are its own.
  def test_leaves_the_i18n_of_the_application_alone
    before = [I18n.load_path.dup, I18n.available_locales, I18n.locale]
    refute_empty Holdup::View::Words::LocaleTexts.all.fetch("ja").to_h
    assert_equal before, [I18n.load_path, I18n.available_locales, I18n.locale]
  end

  def test_has_its_languages_where_the_application_has_others
    before = I18n.available_locales
    I18n.available_locales = %i[de]
    found = Holdup::View::Words::LocaleTexts.all.transform_values(&:to_h)
    assert_equal TABLES.transform_values(&:size),
      found.transform_values { |table| table.values.grep(String).size }
  ensure
    I18n.available_locales = before
  end

  # To parse all of them takes longer than most commands.
  def test_parses_a_file_when_something_in_it_is_asked_for
    Dir.mktmpdir do |folder|
      files = {"one" => "first: eins", "two" => "second: zwei"}.map do |name, text|
        File.join(folder, "#{name}.yml").tap { |file| File.write(file, "de:\n  #{text}\n") }
      end
      texts = Holdup::View::Words::LocaleTexts.new("de", files)
      assert_equal %i[first second], texts.keys
      File.write(files.last, "de:\n  second: später\n")
      assert_equal "eins", texts.fetch(:first)
      assert_equal "später", texts.fetch(:second)
    end
  end

  def test_a_text_that_is_missing
    texts = Holdup::View::Words::LANGUAGES.fetch("en")
    assert_equal "none", texts.fetch(:nowhere, "none")
    error = assert_raises(KeyError) { texts.fetch(:nowhere) }
    assert_equal :nowhere, error.key
  end

  def test_says_and_fills_in
    words = Holdup::View::Words.new("en")
    assert_equal "state", words.call(:state)
    assert_equal "... 3 more", words.call(:more_units, count: 3)
    assert_raises(KeyError) { words.call(:nowhere) }
  end

  def test_a_text_with_several_forms
    words = Holdup::View::Words.new("en")
    assert_equal %w[requests request requests], [nil, 1, 0].map { |count| words.units(:request, count) }
    assert_equal "jobs", words.call(:kind_job)
    assert_equal "ジョブ", Holdup::View::Words.new("ja").units(:job, 1)
  end

  def test_sentences_have_the_units_of_their_language
    japanese = Holdup::View::Words.new("ja")
    assert_equal "リクエスト 9 件（12.0 分間、毎秒 2 件）、エラー 0 件（0 %）",
      japanese.call(:volume, units: "リクエスト", count: "9", measured: "12.0 min", rate: "2", errors: "0",
        error_share: "0 %")
    {"31 s" => "31 秒", "2.50 h" => "2.50 時間", "3 d" => "3 日", "12.3 ms" => "12.3 ms", "JIT 3 d" => "JIT 3 d",
     "0 h - 2 min" => "0 時間 - 2 分"}
      .each { |figure, text|
      assert_equal text, japanese.fill("%{one}", {one: figure})
    }
    assert_equal "10.0 分まで", japanese.fill("%{one} まで", {one: "10.0 min"})
    assert_equal "10.0 ms まで", japanese.fill("%{one} まで", {one: "10.0 ms"})
    assert_equal "12.0 min", Holdup::View::Words.new("en").fill("%{one}", {one: "12.0 min"})
  end

  def test_no_space_is_between_japanese_sentences
    assert_equal ["A. B.", "A。B。"], [%w[en A. B.], %w[ja A。 B。]].map { |language, *texts|
      Holdup::View::Words.new(language).sentences(texts)
    }
  end

  def test_an_unknown_language_names_the_known
    error = assert_raises(Holdup::UsageError) { Holdup::View::Words.new("xx") }
    assert_includes error.message, Holdup::View::Words::LANGUAGES.keys.join(", ")
  end
end

class Holdup::View::PhraseTest < Minitest::Test
  def say(text, **values)
    Holdup::View::Words::Phrase.call(text, values, unknown: "unknown")
  end

  def test_a_range_has_the_form_of_the_language
    english, japanese = %w[en ja].map { |language| Holdup::View::Words.new(language) }
    assert_equal "-5.4..-1.7", english.range("-5.4", "-1.7")
    assert_equal "-5.4〜-1.7", japanese.range("-5.4", "-1.7")
    assert_equal "10 min - 1 h", english.span("10 min", "1 h")
    assert_equal "10 min 〜 1 h", japanese.span("10 min", "1 h")
  end

  def test_one_and_many
    text = "%{count} {count:process runs|processes run}"
    assert_equal "1 process runs", say(text, count: 1)
    %w[0 2 1,000].each { |count| assert_equal "#{count} processes run", say(text, count:) }
  end

  def test_a_part_whose_value_is_missing_is_left_out
    text = "Stopped[[ for %{time}]][[, in %{share} of %{count} {count:period|periods}]]."
    assert_equal "Stopped for 2 s, in 5 % of 1 period.", say(text, time: "2 s", share: "5 %", count: "1")
    assert_equal "Stopped, in 5 % of 3 periods.", say(text, time: nil, share: "5 %", count: "3")
    assert_equal "Stopped.", say(text, time: "-", share: "5 %", count: "-")
  end

  def test_a_missing_value_elsewhere_is_unknown
    assert_equal "limit: unknown", say("limit: %{limit}", limit: "-")
  end

  def test_a_sentence_in_a_sentence_has_one_full_stop
    assert_equal "It failed: no room; try again", say("It failed: %{reason}; try again", reason: "no room.")
    assert_equal "It failed: no room. Try again", say("It failed: %{reason} Try again", reason: "no room.")
    assert_equal "失敗：空きがない。", say("失敗：%{reason}。", reason: "空きがない。")
  end

  def test_japanese_has_a_space_beside_other_letters_only
    text = "%{cause}[[（%{place}）]]が GVL を持つ"
    assert_equal "Sales#report が GVL を持つ", say(text, cause: "Sales#report", place: nil)
    assert_equal "Sales#report（a.rb:3）が GVL を持つ", say(text, cause: "Sales#report", place: "a.rb:3")
    assert_equal "スレッド「mailer」は待つ", say("%{name} は待つ", name: "スレッド「mailer」")
    assert_equal "最大は起動時の 3", say("最大は %{at} の %{peak}", at: "起動時", peak: "3")
    assert_equal "最大は 07:00 の 3", say("最大は %{at} の %{peak}", at: "07:00", peak: "3")
    assert_equal "Waits for 注文", say("Waits for %{name}", name: "注文")
  end

  def test_what_is_no_form_stays
    assert_equal "config.capture = {stall: \"50 ms\"}", say("config.capture = {stall: \"50 ms\"}")
    assert_equal "90 % of all", say("%{share} of all", share: "90 %")
  end
end
