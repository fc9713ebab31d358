# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::ScalingChecksTest < Minitest::Test
  include DoctorHost

  def alarm(autoscale_target, machines: [machine], **facts)
    [Holdup::Doctor::ScalingChecks::Autoscale.call(host(machines:, autoscale_target:, **facts))].flatten
  end

  def test_whether_a_cpu_alarm_can_fire
    assert_equal %i[autoscale_never scale_on_queued],
      alarm(60, signals: {queued_p95_ns: 12_340_000}).map(&:key)
    assert_equal({p95_ns: 12_340_000, queued_ns: 24_680_000},
      alarm(60, signals: {queued_p95_ns: 12_340_000}).last.facts)
    assert_equal({host: "h", vcpus: "2", processes: 1, range: "50-55 %", needed: 2, target: "60 %"},
      alarm(60).first.facts)
    assert_equal %i[autoscale_unsure scale_on_busy], alarm(52, signals: {busy: 3.5, threads: 5.0}).map(&:key)
    assert_equal %i[autoscale_never scale_on_backlog], alarm(60, signals: {backlog: 2.0}).map(&:key)
    assert_equal %i[autoscale_never scale_on_unknown], alarm(60).map(&:key)
    assert_equal [:autoscale_fires], alarm(45).map(&:key)
    assert_equal [:autoscale_unknown], alarm(60, machines: []).map(&:key)
  end

  def test_vcpus_that_are_never_used
    assert_equal({ceiling: :warn}, troubles(machines: [machine]))
    assert_empty troubles(machines: [machine(vcpus: 1.5)])
    assert_empty troubles(machines: [machine(vcpus: nil)])
  end

  def test_the_alarm_in_words
    signals = {queued_p95_ns: 12_340_000}
    report = text(alarm(60, signals:)).gsub(/\s+/, " ")
    assert_includes report,
      "warn The CPU alarm at 60 % never fires: host h (vCPUs: 2, Ruby processes: 1) reaches 50-55 % at most"
    assert_includes report, "-> Scale on the signal named next, or start 2 processes."
    assert_includes report,
      "ok Scale on queue time: above 24.7 ms at p95 (in the last hour it was 12.3 ms)."
  end
end
