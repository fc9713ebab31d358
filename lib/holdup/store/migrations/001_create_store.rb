# frozen_string_literal: true

# Never change a released migration, because existing stores have already run it: add the next number. Nothing
# is released yet, so the columns of windows are those of Window. The first release writes them out here.
Sequel.migration do
  up do
    create_table(:hosts) do
      primary_key :id
      String :name, size: 255, null: false, unique: true
    end

    create_table(:settings) do
      primary_key :id
      String :fingerprint, size: 12, null: false, unique: true
      String :attributes, text: true, null: false
    end

    # `path`: the last one of a series of requests, where the application records paths.
    create_table(:series) do
      primary_key :id
      String :kind, size: 16, null: false
      String :name, size: 200, null: false
      String :queue, size: 424, null: false, default: ""
      String :path, size: 120
      unique %i[kind name queue]
    end

    # One row for each window length, start, series, setting and host. Histograms: see Histogram::Codec.
    create_table(:windows) do
      primary_key :id, type: :Bignum
      Integer :seconds, null: false
      Bignum :start_s, null: false
      foreign_key :series_id, :series, null: false
      foreign_key :setting_id, :settings, null: false
      foreign_key :host_id, :hosts, null: false
      [:count, :errors, *Holdup::Window::SUMS].each { |name| Bignum name, null: false }
      Holdup::Window::HISTOGRAMS.each { |name| File name, null: false }
      unique %i[seconds start_s series_id setting_id host_id]
    end

    # Sums of `windows` longer than a minute over all hosts, only in databases of fleets. `late_host_id`: 0 in
    # what the roll-up wrote, else the host whose windows came after it. `windows`: rows that were added up.
    # Of a thousand processes, sums don't fit into 64 bits.
    create_table(:host_sums) do
      primary_key :id, type: :Bignum
      Integer :seconds, null: false
      Bignum :start_s, null: false
      foreign_key :series_id, :series, null: false
      foreign_key :setting_id, :settings, null: false
      Integer :late_host_id, null: false
      Integer :windows, null: false
      Integer :min_host_id, null: false
      Integer :max_host_id, null: false
      [:count, :errors, *Holdup::Window::SUMS].each { |name| BigDecimal name, size: [38, 0], null: false }
      Holdup::Window::HISTOGRAMS.each { |name| File name, null: false }
      unique %i[seconds start_s series_id setting_id late_host_id]
    end
    if database_type == :postgres # the only one that has them
      add_index :host_sums, %i[seconds start_s], name: :host_sums_late, where: Sequel.~(late_host_id: 0)
    end

    # Resolutions of windows, and how far each is filled.
    create_table(:tiers) do
      Integer :seconds, primary_key: true
      Bignum :rolled_to_s, null: false, default: 0
      Bignum :kept_from_s, null: false, default: 0
    end

    # Samples of processes. `facts`: JSON.
    create_table(:process_samples) do
      primary_key :id, type: :Bignum
      Bignum :at_s, null: false
      foreign_key :host_id, :hosts, null: false
      Integer :pid, null: false
      String :facts, text: true, null: false
      unique %i[at_s host_id pid]
    end

    # Samples of units: a row for each ten minutes, setting and host. `seen`: number of units that it was
    # drawn from; `packed`: see SampleBlock::Codec; `bytes`: their length.
    create_table(:unit_samples) do
      primary_key :id, type: :Bignum
      Bignum :start_s, null: false
      foreign_key :setting_id, :settings, null: false
      foreign_key :host_id, :hosts, null: false
      Bignum :seen, null: false
      Integer :bytes, null: false
      File :packed, null: false
      unique %i[start_s setting_id host_id]
    end

    # How far the collector has carried each segment. `checkpoint`: see
    # Collector::SegmentCheckpoint::Codec.
    create_table(:checkpoints) do
      String :segment, size: 700, primary_key: true
      File :checkpoint, null: false, size: :medium
    end
    # PostgreSQL would compress each of them at each commit, which takes most of its CPU time.
    run("ALTER TABLE checkpoints ALTER COLUMN checkpoint SET STORAGE EXTERNAL") if database_type == :postgres

    # How far the collector of each host and folder has come. `units`: JSON. MySQL's text has room for 64 kB,
    # and Sequel's size is for binary columns alone.
    long_text = (database_type == :mysql) ? :mediumtext : :text
    create_table(:collector_checkpoints) do
      primary_key :id
      String :host, size: 255, null: false
      String :folder, size: 500, null: false
      Bignum :at_ns, null: false
      column :units, long_text, null: false
      unique %i[host folder]
    end

    # What could not be carried or kept.
    create_table(:skipped_rows) do
      primary_key :id
      Bignum :at_s, null: false
      String :host, size: 255, null: false
      String :kind, size: 16, null: false
      String :name, size: 200, null: false
      String :reason, size: 200, null: false
      Bignum :count, null: false
      unique %i[host kind name]
    end

    # Audit log of settings that change while processes run. `source`: see AuditEntry; `facts`: JSON.
    create_table(:audit_entries) do
      primary_key :id, type: :Bignum
      String :source, size: 80, null: false, unique: true
      Bignum :at_s, null: false, index: true
      String :host, size: 255, null: false
      String :event, size: 16, null: false
      String :facts, text: true, null: false
    end

    # Predictions of other settings and what was measured there: one row for each figure.
    create_table(:prediction_outcomes) do
      primary_key :id
      Bignum :at_s, null: false
      String :app, size: 255, null: false
      String :kind, size: 16, null: false
      String :pool, size: 200, null: false
      String :setting, size: 12, null: false
      Bignum :from_s, null: false
      Bignum :to_s, null: false
      Integer :processes, null: false
      Integer :threads, null: false
      Bignum :time_slice_ns, null: false
      Bignum :units, null: false
      String :figure, size: 16, null: false
      %i[recorded_ns replayed_ns predicted_ns measured_ns].each { |name| Bignum name, null: false }
      unique %i[kind pool setting from_s to_s processes threads time_slice_ns figure app]
    end

    # Answers that a collector keeps ready for readers, see Store::KeptAnswer.
    create_table(:answers) do
      String :question, size: 100, primary_key: true
      Bignum :at_s, null: false
      File :text, null: false, size: :medium
    end
  end
end
