# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::ChecksTest < Minitest::Test
  include DoctorHost

  def test_a_sound_host
    assert_empty troubles
    assert_equal %i[ruby clock_counter folder segments server collector store books jit queue no_anomalies],
      findings.map(&:key)
  end

  def test_no_sentence_sends_its_reader_to_the_doctor
    Holdup::View::Words::LANGUAGES.each do |language, table|
      said = table.to_h.select { |key, _| key.start_with?("doctor_") }
      to_itself = said.select { |_, text| text.to_s.include?("`holdup doctor`") }
      assert_empty to_itself.keys, language
    end
  end

  def test_every_finding_has_its_words_and_its_remedy
    tables = Holdup::View::Words::LANGUAGES
    keys = Dir[File.expand_path("../../../../lib/holdup/features/*/*_checks.rb", __dir__)].flat_map { |file|
      File.read(file).scan(/CheckResult\.(ok|warn|fail)\(:(\w+)/)
    }
    keys.concat(Holdup::Doctor::ProbeChecks::Anomalies::COUNTERS.map { |name| ["warn", name.to_s] })
    assert_operator keys.size, :>, 30
    tables.each_value do |table|
      keys.each do |level, key|
        assert table.key?(:"doctor_#{key}"), key
        assert table.key?(:"doctor_#{key}_fix"), "#{key} has no remedy" unless level == "ok"
      end
    end
  end
end
